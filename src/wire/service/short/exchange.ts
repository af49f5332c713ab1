/** One request and its answer, on a connection of their own. */
export interface Exchange {
  readonly request: string;
  /** Without a byte of the answer, after which `timedOut` is called, in ms. */
  readonly timeoutMs: number;
  readonly received: (bytes: Buffer) => void;
  /** The other side sends nothing more. */
  readonly ended: () => void;
  readonly failed: (error: Error) => void;
  readonly timedOut: () => void;
}

/** The connection. After a call of one of these, nothing is called any more, or what is called has no effect. */
export interface Connection {
  /** The answer is whole: the other side closes the connection. */
  release(): void;
  /** Breaks it off. */
  destroy(): void;
}
