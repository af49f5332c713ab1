/** How a program ended. Exactly one of the two is non-null. */
export interface ExitStatus {
  /** 0..255. */
  readonly code: number | null;
  /** Name as in signal(7), e.g. `SIGKILL`. */
  readonly signal: string | null;
}
