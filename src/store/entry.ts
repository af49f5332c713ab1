import type { JournalRecord } from './journal/journal-files.ts';
import { joined, noChange, type PendingChange } from './pending-change.ts';
import type { SessionFiles, Stamp } from './session-files.ts';
import type { Writer } from './writing.ts';

/** Changes that are in a journal, and not in the session's own files. */
export interface Journaled {
  readonly change: PendingChange;
  /** The number of the last of them. */
  readonly count: number;
  /** The journal that has the first of them. */
  readonly oldest: number;
}

/** A session that is saved, or is to be. */
export class Entry implements Writer {
  readonly id: string;
  readonly files: SessionFiles;
  readonly #write: (entry: Entry) => Promise<void>;
  pending: PendingChange | null = null;
  pendingBytes = 0;
  journaled: Journaled | null = null;
  /** When it changed last. */
  changedMs = 0;
  /** Whether its files are being written. */
  isWriting = false;
  isRemoved = false;
  /** The ids of sessions that are removed once this one is written. */
  continues: readonly string[] = [];
  /** Whether its files are being made again, because another program has removed them. */
  isAgain = false;
  /** Whether everything given to the store is in its files; null if unknown. */
  isWhole: boolean | null = null;
  /** What is on disk is only a part of what an earlier daemon had. */
  isPart = false;
  /** Something else is where its files should be, so it is not saved. */
  isForeign = false;
  /** Null while it runs. */
  exitedAtMs: number | null = null;
  /** When and by whom it was saved before it was lost: its files keep that. */
  lost: Stamp | null = null;
  /** The same of what is in a journal of an earlier daemon, until the session is saved again. */
  earlier: Stamp | null = null;
  /** The size of its files. */
  bytes = 0;

  constructor(id: string, files: SessionFiles, write: (entry: Entry) => Promise<void>) {
    this.id = id;
    this.files = files;
    this.#write = write;
  }

  /** Takes the first of {@link continues}. @param count default: all */
  takeContinued(count = this.continues.length): readonly string[] {
    const first = this.continues.slice(0, count);
    this.continues = this.continues.slice(count);
    return first;
  }

  write(): Promise<void> {
    return this.#write(this);
  }
}

/** Returns what is in a journal with one more change of the session. */
export function journaledWith(
  before: Journaled | null,
  { change, count }: Pick<JournalRecord, 'change' | 'count'>,
  journal: number,
): Journaled {
  return {
    change: joined(before?.change ?? noChange, change),
    count,
    oldest: before?.oldest ?? journal,
  };
}

/** Those that exited first come first, those that run last. */
export const byExit = (a: Entry, b: Entry): number =>
  (a.exitedAtMs ?? Infinity) - (b.exitedAtMs ?? Infinity) || 0;
