import type { EndReason, Persistence } from '#model';
import type { Saved, SavedChange } from '#session';

/** Keeps saved sessions where they survive the process that owns their pseudo-terminals. */
export interface SessionStore {
  readonly state: Persistence;
  /**
   * Saves a change, in the order of the calls; also what a host has saved already.
   *
   * @param afterMs earliest start of the write, if none of the session waits already; default: soon
   */
  save(id: string, change: SavedChange, afterMs?: number): void;
  /** Calls a function with each session whose files another program has removed: all of it must be saved again. */
  onGone(listener: (id: string) => void): void;
  /** The program of a session has exited: it may be dropped first if space is short. */
  exited(id: string): void;
  remove(id: string): void;
  /**
   * Returns the saved sessions whose programs no host has any more, oldest first.
   *
   * @param held the ids of the sessions that a host has
   */
  lost(held: ReadonlySet<string>): Promise<{ readonly sessions: readonly LostSession[] }>;
}

/** A saved session whose program has ended. */
export interface LostSession {
  readonly id: string;
  readonly facts: Uint8Array;
  /** Why the program ended, if it had not exited by then. */
  readonly endedBy: Extract<EndReason, 'host_lost' | 'stopped' | 'reboot'>;
  /** When it was saved last, in ms since 1970. */
  readonly savedAtMs: number;
  /** Whether all its changes were saved. */
  readonly isWhole: boolean;
  load(): Saved;
}
