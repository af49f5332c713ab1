import { join } from 'node:path';
import type { SavedChange, SavedState } from '#pty';
import type { PendingChange } from '../pending-change.ts';
import type { SkippedFile } from '../port.ts';
import {
  findSealed,
  OtherVersion,
  type SealedKind,
  seal,
  sealedLength,
  unseal,
} from '../sealed-file.ts';
import type { Stamp } from '../session-files.ts';
import { type StoreFiles, unlessMissing } from '../store-files.ts';

/** No session has such a name; daemons of earlier versions ignore the files. */
const pattern = /^journal\.(\d+)$/;
/** One that could not be read, for a person. */
const asidePattern = /^journal\.(\d+)\.unread$/;
/** Exists while the changes of all sessions in a journal are written. */
export const journalMarkName = 'journal.whole';

/** The next journal begins when one has this many bytes. */
export const maxJournalBytes = 16 * 1024 * 1024;
/** Bytes of one write. */
export const maxBatchBytes = 512 * 1024;
/** A larger file is not ours: the last batch of a journal is small next to the rest. */
const maxFileBytes = 2 * maxJournalBytes;

/** The journals in a directory, oldest first. Each is appended to until it is full. */
export class JournalFiles {
  readonly #files: StoreFiles;
  readonly #directory: string;
  #numbers: number[] = [];
  #next = 1;
  /** Where the next record of the last journal is written; null: the next record begins another one. */
  #end: number | null = null;

  constructor(files: StoreFiles, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  /** The number of the journal that the next records are written to. */
  get number(): number {
    return this.#end === null ? this.#next : this.#next - 1;
  }

  /** The length of the last journal, in bytes; 0 if the next record begins another one. */
  get bytes(): number {
    return this.#end ?? 0;
  }

  /**
   * Must be called before the first record is written: later ones go to a journal of their own. Those that could
   * not be read are put aside: what is saved from now on does not follow their records.
   */
  continueAfter({
    numbers,
    unread,
    next,
  }: Pick<FoundJournals, 'numbers' | 'unread' | 'next'>): void {
    this.#numbers = [...numbers];
    this.#next = next;
    for (const number of unread) {
      const path = join(this.#directory, nameOf(number));
      try {
        this.#files.renameSync(path, `${path}.unread`);
      } catch {
        // It stays where it is.
      }
    }
  }

  /** Appends records, and makes them permanent. */
  async append(records: Uint8Array): Promise<void> {
    const { number } = this;
    const path = join(this.#directory, nameOf(number));
    const isNew = this.#end === null;
    const at = this.#end ?? 0;
    if (isNew) {
      this.#numbers.push(number);
      this.#next = number + 1;
      this.#end = 0;
    }
    const file = isNew ? await this.#files.create(path) : await this.#files.open(path);
    try {
      await file.write(records, at);
      await file.sync();
    } finally {
      await file.close();
    }
    if (isNew) await this.#files.syncDirectory(this.#directory);
    this.#end = at + records.length;
  }

  /** Begins another journal with the next record. */
  rotate(): void {
    this.#end = null;
  }

  /** Removes the journals before a number; null: all. */
  async removeBefore(number: number | null): Promise<void> {
    for (;;) {
      const [oldest] = this.#numbers;
      if (oldest === undefined || (number !== null && oldest >= number)) return;
      await this.#files.remove(join(this.#directory, nameOf(oldest))).catch(unlessMissing);
      this.#numbers.shift();
      if (this.#numbers.length === 0) this.#end = null;
    }
  }
}

const nameOf = (number: number): string => `journal.${number}`;

export interface FoundRecord extends JournalRecord {
  /** The number of the journal. */
  readonly journal: number;
}

export interface FoundJournals {
  /** The numbers of the journals that were read. */
  readonly numbers: readonly number[];
  /** The numbers of the journals that the system could not read. */
  readonly unread: readonly number[];
  /** The next number that no journal has. */
  readonly next: number;
  readonly isMarked: boolean;
  /** Whether all changes of the sessions in it were written. */
  readonly isWhole: boolean;
  /** By session, in the order of writing. */
  readonly records: ReadonlyMap<string, readonly FoundRecord[]>;
  readonly problems: readonly SkippedFile[];
}

/** Reads all journals in a directory. Never throws. */
export function readJournals(files: StoreFiles, directory: string): FoundJournals {
  const names = files.names(directory);
  const all = numbersIn(names, pattern);
  const numbers: number[] = [];
  const unread: number[] = [];
  const records = new Map<string, FoundRecord[]>();
  const problems: SkippedFile[] = [];
  let isComplete = true;
  for (const number of all.sort((a, b) => a - b)) {
    const path = join(directory, nameOf(number));
    const read = readJournal(files, path);
    for (const record of read.records) {
      const inJournal = { ...record, journal: number };
      const ofSession = records.get(record.id);
      if (ofSession === undefined) records.set(record.id, [inJournal]);
      else ofSession.push(inJournal);
    }
    if (read.problem !== null) problems.push({ path, reason: read.problem.message });
    // One of a later version is left.
    if (!read.isRead) unread.push(number);
    else if (!(read.problem instanceof OtherVersion)) numbers.push(number);
    isComplete &&= read.isComplete;
  }
  const isMarked = names.includes(journalMarkName);
  const next = 1 + Math.max(0, ...all, ...numbersIn(names, asidePattern));
  return { numbers, unread, next, isMarked, isWhole: isMarked && isComplete, records, problems };
}

const numbersIn = (names: readonly string[], kind: RegExp): number[] =>
  names.flatMap((name) => kind.exec(name)?.[1] ?? []).map(Number);

/** Lists the journals in a directory that were put aside: see {@link JournalFiles.continueAfter}. */
export const journalsAside = (files: StoreFiles, directory: string): SkippedFile[] =>
  files
    .names(directory)
    .filter((name) => asidePattern.test(name))
    .map((name) => ({
      path: join(directory, name),
      reason: 'the system could not read it when a daemon needed its changes; remove it',
    }));

interface ReadJournal {
  /** Whether the system could read the file. */
  readonly isRead: boolean;
  readonly records: readonly JournalRecord[];
  /** Whether the records are all that was ever written. */
  readonly isComplete: boolean;
  /** Why records before the end cannot be read. */
  readonly problem: Error | null;
}

function readJournal(files: StoreFiles, path: string): ReadJournal {
  const records: JournalRecord[] = [];
  let isComplete = true;
  let problem: Error | null = null;
  try {
    const bytes = files.readSync(path, maxFileBytes);
    for (let at = 0; at < bytes.length; ) {
      const length = sealedLength(bytes, at);
      try {
        if (length === null) throw new Error('it is damaged');
        records.push(decodeRecord(bytes.subarray(at, at + length)));
        at += length;
      } catch (error) {
        isComplete = false;
        const next = findRecord(bytes, at + 1);
        // Otherwise the last write was not finished.
        const isInside = next !== null || (length !== null && at + length < bytes.length);
        if (isInside || error instanceof OtherVersion) problem ??= error as Error;
        at = next ?? bytes.length;
      }
    }
  } catch (error) {
    return { isRead: false, records, isComplete: false, problem: error as Error };
  }
  return { isRead: true, records, isComplete, problem };
}

/** A change of a session in a journal. */
export interface JournalRecord {
  readonly id: string;
  /** See `SessionFiles.nextCount`. */
  readonly count: number;
  readonly stamp: Stamp;
  readonly change: PendingChange;
}

/** What the body has, in this order: facts, state, segments. */
interface Head extends Stamp {
  readonly id: string;
  readonly count: number;
  /** Lengths in bytes; null: not changed. */
  readonly facts: number | null;
  readonly state: (Omit<SavedState, 'bytes'> & { readonly length: number }) | null;
  readonly segments: readonly {
    readonly from: number;
    readonly to: number;
    readonly length: number;
  }[];
  /** Null: no line is replaced. */
  readonly replaceFrom: number | null;
  readonly firstLine: number;
}

const kind: SealedKind = 'change';

export function encodeRecord({ id, count, stamp, change }: JournalRecord): Uint8Array {
  const { facts, state, segments, replaceFrom, firstLine } = change;
  const parts = segments.map(({ bytes }) => bytes);
  if (state !== undefined) parts.unshift(state.bytes);
  if (facts !== undefined) parts.unshift(facts);
  const head: Head = {
    ...stamp,
    id,
    count,
    firstLine,
    facts: facts?.length ?? null,
    state: state === undefined ? null : withLength(state),
    segments: segments.map(withLength),
    replaceFrom: replaceFrom === Infinity ? null : replaceFrom,
  };
  return seal(kind, head, Buffer.concat(parts));
}

/** Returns where the first undamaged record begins, from an offset on; null if none does. */
const findRecord = (bytes: Uint8Array, from: number): number | null =>
  findSealed(kind, bytes, from);

/** @throws Error with the reason if it is of a later version, or damaged */
function decodeRecord(bytes: Uint8Array): JournalRecord {
  const { head, body } = unseal<Head>(kind, bytes);
  const { id, count, run, bootId, savedAtMs, facts, state, segments, ...lines } = head;
  let at = 0;
  const take = (length: number): Uint8Array => {
    at += length;
    return body.slice(at - length, at);
  };
  const change: SavedChange = {
    ...(facts === null ? {} : { facts: take(facts) }),
    ...(state === null ? {} : { state: withBytes(state, take) }),
    segments: segments.map((segment) => withBytes(segment, take)),
  };
  return {
    id,
    count,
    stamp: { run, bootId, savedAtMs },
    change: {
      ...(change as PendingChange),
      replaceFrom: lines.replaceFrom ?? Infinity,
      firstLine: lines.firstLine,
    },
  };
}

function withLength<T extends { readonly bytes: Uint8Array }>({ bytes, ...rest }: T) {
  return { ...rest, length: bytes.length };
}

function withBytes<T extends { readonly length: number }>(
  { length, ...rest }: T,
  take: (length: number) => Uint8Array,
) {
  return { ...rest, bytes: take(length) };
}
