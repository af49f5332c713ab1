import type { Persistence } from '#model';
import type { Saved, SavedChange } from '#pty';

/**
 * Saved sessions on disk, for the case that their host is lost: it was killed, or the machine was
 * restarted. No call waits for the disk, unless it returns a promise.
 */
export interface SessionStore {
  /** `disk`, or `stopped` while files cannot be written. The store tries again by itself. */
  readonly state: Persistence;
  /** What {@link lost} could not list, because its files are damaged or cannot be read, and what still exists. */
  readonly damaged: readonly SkippedFile[];
  /**
   * Saves a change. Changes that are not written yet are joined.
   *
   * @param afterMs earliest start of the write, if none of the session waits already; default: soon
   */
  save(id: string, change: SavedChange, afterMs?: number): void;
  /** Calls a function with each session whose files another program has removed: all of it must be saved again. */
  onGone(listener: (id: string) => void): void;
  /** Notes that the program has exited: such sessions are removed first if space is short. */
  exited(id: string): void;
  /**
   * Removes a session's files.
   *
   * @param after the id of a session that continues it: once that is written as it is now
   */
  remove(id: string, after?: string): void;
  /**
   * Returns the saved sessions that no host has, and removes the oldest beyond {@link maxLost} and
   * {@link maxLostMs}. Must be called before sessions are saved, and only if all hosts have answered.
   *
   * @param ids the ids that hosts have
   */
  lost(ids: ReadonlySet<string>): Promise<LostSessions>;
  /**
   * Notes that the programs are ended because the daemon is stopped: sessions that are not saved as
   * exited afterwards are lost with the reason `stopped`.
   */
  stopping(): Promise<void>;
  /** Resolves when everything is written that can be written. */
  flush(): Promise<void>;
  /** Flushes, and releases the directory. Later changes are ignored. */
  close(): Promise<void>;
  /** Removes everything that is saved, and closes. @throws Error of the system */
  removeAll(): Promise<void>;
}

export interface LostSessions {
  /** In the order in which they were saved last. */
  readonly sessions: readonly LostSession[];
  /** Files that could not be read. They are left; a journal is renamed, because no other follows it. */
  readonly skipped: readonly SkippedFile[];
}

export interface LostSession {
  readonly id: string;
  readonly facts: Uint8Array;
  /** Why its program has ended, if it had not exited before. */
  readonly endedBy: 'host_lost' | 'stopped' | 'reboot';
  /** When it was saved last, in ms since 1970. */
  readonly savedAtMs: number;
  /** Whether all its changes were written: false after a full disk, or a kill before a write. */
  readonly isWhole: boolean;
  /**
   * Reads its state and its lines, at most {@link maxSessionBytes}. Damaged parts are left out: the
   * state is then null, or the oldest lines are missing. Never throws.
   */
  load(): Saved;
}

export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
  /** Whether it is of a session that is not listed, and that is not damaged: another version may read it. */
  readonly isKept?: boolean;
}

/** The limit of a session's files, in bytes. Its oldest lines are dropped. */
export const maxSessionBytes = 8 * 1024 * 1024;
/**
 * The limit of all sessions' files, in bytes. Sessions that have exited are removed, the oldest first;
 * then sessions with many lines lose their oldest.
 */
export const maxStoreBytes = 1024 * 1024 * 1024;
/** The most lost sessions that are kept: twice as many as run by default. And for how long, in ms. */
export const maxLost = 2_000;
export const maxLostMs = 30 * 24 * 60 * 60 * 1000;
