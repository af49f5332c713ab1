/** The exit status of a program. Exactly one of the two fields is not null. */
export interface ExitStatus {
  /** 0..255. */
  readonly code: number | null;
  /** The name as in signal(7), for example `SIGKILL`. */
  readonly signal: string | null;
}
