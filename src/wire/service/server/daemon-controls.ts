/** What the service tells of the process that it runs in, and asks of it. */
export interface DaemonControls {
  describe(): DaemonDescription;
  /** Begins to stop, after the answer to this call has gone out. Returns at once. */
  stop(): void;
}

export interface DaemonDescription {
  /** Of vtr. */
  readonly version: string;
  readonly pid: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly startedAtMs: number;
  readonly socketPath: string;
}
