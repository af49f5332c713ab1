import type { Coordinator } from '#model';

/** The coordinator that owns a server's sessions. */
export interface SessionHost {
  /** Returns null if no coordinator runs: then there are no sessions. Does not start one. */
  reach(): Promise<Coordinator | null>;
  /** As `reach`, but starts a coordinator if none runs. @throws VtrError UNAVAILABLE */
  start(): Promise<Coordinator>;
}
