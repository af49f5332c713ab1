import type { Coordinator } from '#model';

/** Where the sessions of a server live. */
export interface SessionHost {
  /** Null where no coordinator runs: then there are no sessions, and none is started to say so. */
  reach(): Promise<Coordinator | null>;
  /** As `reach`, and starts one where none runs. @throws VtrError UNAVAILABLE */
  start(): Promise<Coordinator>;
}
