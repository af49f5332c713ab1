import { join } from 'node:path';
import type { Saved, SavedState } from '#pty';
import { Mark } from './mark.ts';
import type { PendingChange } from './pending-change.ts';
import { maxSessionBytes, type SkippedFile } from './port.ts';
import { OtherVersion, type Sealed, seal, unseal } from './sealed-file.ts';
import {
  checkSegmentFile,
  type Extent,
  extentsOf,
  fileHeaderBytes,
  isSegment,
  type LineItem,
  noLines,
  planLines,
  recordOverheadBytes,
  recordsIn,
  type SavedLines,
  type SegmentRecord,
  segmentAt,
  segmentFileHeader,
  segmentRecord,
  wholeExtent,
} from './segment-records.ts';
import {
  closing,
  ForeignFile,
  replaceStored,
  type StoreFiles,
  unlessMissing,
} from './store-files.ts';

/** When and by whom a file was written. */
export interface Stamp {
  /** Identifies the store of one run of the daemon. */
  readonly run: string;
  readonly bootId: string;
  readonly savedAtMs: number;
}

/** A session's writes are counted: a change in a journal with this number or a lower one is included. */
interface Counted extends Stamp {
  /** Absent before there were journals. */
  readonly count?: number;
}

export interface StateHead extends Counted {
  /** Null: there are lines, but no state. */
  readonly state: Omit<SavedState, 'bytes'> | null;
  readonly generation: number;
  /** The parts of the file of segments that belong to the state. */
  readonly extents: readonly Extent[];
}

/** What is on disk. */
interface Written {
  /** See {@link Counted}. */
  readonly count: number;
  readonly factsBytes: number;
  readonly stateBytes: number;
  readonly lines: SavedLines;
}

const nothing: Written = { count: 0, factsBytes: 0, stateBytes: 0, lines: noLines };

/**
 * A larger file is not ours: facts and state are small next to the lines, but a state with a thousand
 * long commands has some MB.
 */
const maxFileBytes = 2 * maxSessionBytes;

const factsName = 'facts';
const stateName = 'state';
/** Exists while all changes are written: its removal needs no space on a full disk. */
const wholeName = 'whole';
const segmentsPattern = /^segments-(\d+)$/;

const segmentsName = (generation: number): string => `segments-${generation}`;

/** Returns the numbers of the files of segments among the names in a directory. */
const generationsIn = (names: readonly string[]): number[] =>
  names.flatMap((name) => {
    const [, digits] = segmentsPattern.exec(name) ?? [];
    return digits === undefined ? [] : [Number(digits)];
  });

/**
 * The files of one session. `state` names the parts of a file of segments that belong to it, and is
 * replaced after they are written: at any moment a whole state with its lines is on disk. Parts that
 * no state names are removed later.
 */
export class SessionFiles {
  readonly #files: StoreFiles;
  readonly #directory: string;
  readonly #stamp: () => Stamp;
  /** Null if unknown: before the first write, and after one that failed. */
  #written: Written | null = null;
  #isMade = false;
  /** Whether all changes are in the files. Its removal needs no space on a full disk. */
  readonly mark: Mark;

  constructor(files: StoreFiles, directory: string, stamp: () => Stamp) {
    this.#files = files;
    this.#directory = directory;
    this.#stamp = stamp;
    this.mark = new Mark(files, join(directory, wholeName));
  }

  /** Whether facts and a state are there, and the last write has succeeded. */
  get isWritten(): boolean {
    const { factsBytes, stateBytes } = this.#written ?? nothing;
    return factsBytes > 0 && stateBytes > 0;
  }

  /** Whether another program has removed what was written. */
  get isGone(): boolean {
    return this.#isMade && this.#files.names(this.#directory).length === 0;
  }

  /** Begins again: another program has removed files. */
  forget(): void {
    this.#isMade = false;
    this.#written = null;
  }

  /** Returns the number of a change that is written elsewhere, after this session's last write. */
  nextCount(): number {
    const before = this.#written ?? nothing;
    const count = before.count + 1;
    this.#written = { ...before, count };
    return count;
  }

  /** Makes what was written permanent, also where a file system keeps names apart. */
  syncNames(): Promise<void> {
    return this.#files.syncDirectory(this.#directory);
  }

  /**
   * Makes the directory; must be called before {@link write}.
   *
   * @returns whether nothing of the session was on disk
   */
  async make(): Promise<boolean> {
    if (this.#isMade) return false;
    const isNew = await this.#files.makeDirectory(this.#directory);
    this.#isMade = true;
    if (isNew) this.#written = nothing;
    return isNew;
  }

  /**
   * @param lastCount the number of the last change that it includes, if that is in a journal
   * @returns the bytes that are on disk afterwards
   */
  async write(change: PendingChange, maxBytes: number, lastCount = 0): Promise<number> {
    const place = this.#written ?? (await this.#find());
    this.#written = null;
    const { facts } = change;
    const count = Math.max(place.count, lastCount) + 1;
    const factsBytes =
      facts === undefined
        ? place.factsBytes
        : await this.#replace(factsName, seal('facts', { ...this.#stamp(), count }, facts));
    const after = await this.#writeState({ ...place, count, factsBytes }, change, maxBytes);
    this.#written = after;
    return after.factsBytes + after.stateBytes + after.lines.end;
  }

  /** Renames the directory at once, so that nothing of the session is found any more. */
  hide(): void {
    this.#files.renameSync(this.#directory, this.#removed);
  }

  /** Removes what is there, also after {@link hide}. */
  async remove(): Promise<void> {
    this.#written = null;
    this.#isMade = false;
    await removeTree(this.#files, this.#removed);
    // A write that was under way can have made it again.
    await this.#files.rename(this.#directory, this.#removed).catch(unlessMissing);
    await removeTree(this.#files, this.#removed);
  }

  get #removed(): string {
    return `${this.#directory}.removed`;
  }

  async #writeState(before: Written, change: PendingChange, maxBytes: number): Promise<Written> {
    const stateBytes = change.state?.bytes.length ?? before.stateBytes;
    // It could not be read again.
    if (stateBytes > maxSessionBytes) throw new Error(`a state has ${stateBytes} bytes`);
    const maxLinesBytes = maxBytes - before.factsBytes - stateBytes;
    const plan = planLines(before.lines, change, maxLinesBytes);
    if (plan === null && change.state === undefined) return before;
    const state = change.state ?? (await this.#oldState());
    const lines =
      plan === null ? before.lines : await this.#writeLines(before.lines, plan.items, plan.rewrite);
    const { generation } = lines;
    const extents = extentsOf(lines.records);
    const { bytes, ...numbers } = state ?? { bytes: new Uint8Array(0) };
    const { count } = before;
    const head: StateHead = {
      ...this.#stamp(),
      count,
      state: state === null ? null : (numbers as Omit<SavedState, 'bytes'>),
      generation,
      extents,
    };
    const written = await this.#replace(stateName, seal('state', head, bytes));
    if (generation !== before.lines.generation) await this.#removeOthers(generation);
    return { ...before, stateBytes: written, lines };
  }

  async #oldState(): Promise<SavedState | null> {
    const sealed = await this.#readState();
    return sealed === null ? null : stateOf(sealed);
  }

  async #writeLines(
    before: SavedLines,
    items: readonly LineItem[],
    rewrite: boolean,
  ): Promise<SavedLines> {
    if (!rewrite) return this.#append(before, items);
    const old = items.every(isSegment) ? null : await this.#readSegments(before.generation);
    const segments = items.map((item) =>
      isSegment(item) || old === null ? item : segmentAt(old, item),
    );
    const generation = 1 + Math.max(0, before.generation, ...this.#generations());
    return this.#append({ generation, records: [], end: 0 }, segments);
  }

  /** A file with `end` 0 is made. */
  async #append(before: SavedLines, items: readonly LineItem[]): Promise<SavedLines> {
    const path = this.#segmentsPath(before.generation);
    const isNew = before.end === 0;
    const parts = isNew ? [segmentFileHeader()] : [];
    let end = isNew ? fileHeaderBytes : before.end;
    const records: SegmentRecord[] = [];
    for (const item of items) {
      if (isSegment(item)) {
        const bytes = segmentRecord(item);
        parts.push(bytes);
        const crc = new DataView(bytes.buffer).getUint32(bytes.length - 8, true);
        records.push({ from: item.from, to: item.to, at: end, length: bytes.length, crc });
        end += bytes.length;
      } else records.push(item);
    }
    if (parts.length > 0) await this.#writeAt(path, isNew, Buffer.concat(parts), before.end);
    return { generation: before.generation, records, end };
  }

  async #writeAt(path: string, isNew: boolean, bytes: Uint8Array, at: number): Promise<void> {
    const file = isNew ? await this.#files.create(path) : await this.#files.open(path);
    await closing(file, isNew ? () => this.#files.remove(path) : null, async () => {
      // What follows is left from a write that failed.
      if (!isNew) await file.truncate(at);
      await file.write(bytes, at);
      await file.sync();
    });
  }

  /** @returns the length of the file */
  async #replace(name: string, bytes: Uint8Array): Promise<number> {
    await replaceStored(this.#files, join(this.#directory, name), bytes);
    return bytes.length;
  }

  async #removeOthers(generation: number): Promise<void> {
    const others = this.#generations().filter((each) => each !== generation);
    if (others.length > 0) await this.#files.syncDirectory(this.#directory);
    for (const other of others) await this.#files.remove(this.#segmentsPath(other));
  }

  #generations(): number[] {
    return generationsIn(this.#files.names(this.#directory));
  }

  #segmentsPath(generation: number): string {
    return join(this.#directory, segmentsName(generation));
  }

  #readSegments(generation: number): Promise<Uint8Array> {
    return this.#files.read(this.#segmentsPath(generation), maxFileBytes);
  }

  /** Returns null if there is none, or it is damaged. */
  async #readState(): Promise<Sealed<StateHead> | null> {
    try {
      const path = join(this.#directory, stateName);
      return unseal<StateHead>('state', await this.#files.read(path, maxFileBytes));
    } catch (error) {
      checkIsLost(error);
      return null;
    }
  }

  async #find(): Promise<Written> {
    const sealed = await this.#readState();
    const facts = await this.#readFacts();
    const sizes = { ...nothing, ...facts };
    if (sealed === null) return sizes;
    const { head, body } = sealed;
    const count = Math.max(sizes.count, head.count ?? 0);
    return { ...sizes, count, stateBytes: body.length, lines: await this.#findLines(head) };
  }

  async #readFacts(): Promise<Pick<Written, 'count' | 'factsBytes'>> {
    try {
      const bytes = await this.#files.read(join(this.#directory, factsName), maxFileBytes);
      const { count = 0 } = unseal<Counted>('facts', bytes).head;
      return { count, factsBytes: bytes.length };
    } catch (error) {
      checkIsLost(error);
      return { count: 0, factsBytes: 0 };
    }
  }

  async #findLines({ generation, extents }: StateHead): Promise<SavedLines> {
    if (generation === 0) return noLines;
    try {
      const file = await this.#readSegments(generation);
      checkSegmentFile(file);
      return { generation, records: recordsIn(file, extents), end: endOf(extents) };
    } catch (error) {
      checkIsLost(error);
      return noLines;
    }
  }
}

/**
 * A file that the system cannot read now, for example for want of a descriptor, must not be replaced by one
 * with less.
 *
 * @throws the error, unless the file is missing or damaged
 */
function checkIsLost(error: unknown): void {
  if (isUnreadable(error)) throw error;
}

/** Whether a file may be whole, and the system could not read it. */
function isUnreadable(error: unknown): error is NodeJS.ErrnoException {
  const { errno, code } = error as NodeJS.ErrnoException;
  return errno !== undefined && code !== 'ENOENT';
}

/** What could be read of a session, and why the rest could not. */
export interface FoundSession {
  readonly facts: Uint8Array;
  readonly stamp: Stamp;
  /** The size of its files. */
  readonly bytes: number;
  readonly isWhole: boolean;
  /** The numbers of the last writes of its facts and its state; see {@link SessionFiles.nextCount}. */
  readonly counts: { readonly facts: number; readonly state: number };
  readonly problems: readonly { readonly path: string; readonly error: Error }[];
}

/**
 * Reads a session's facts, and its state as far as needed to know when it was saved.
 *
 * @throws Error if the facts cannot be read
 */
export function findSession(files: StoreFiles, directory: string): FoundSession {
  const { head: stamp, body: facts } = readSealed<Counted>(files, directory, 'facts');
  const names = files.names(directory);
  const isWhole = names.includes(wholeName);
  const counts = { facts: stamp.count ?? 0, state: 0 };
  const result = { facts, stamp, bytes: facts.length, isWhole, counts, problems: [] };
  try {
    const { head, body } = readSealed<StateHead>(files, directory, 'state');
    const bytes = result.bytes + body.length + endOf(head.extents);
    const newest = head.savedAtMs > stamp.savedAtMs ? head : stamp;
    return { ...result, stamp: newest, bytes, counts: { ...counts, state: head.count ?? 0 } };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing && !isStateLost(names)) return result;
    const problem = isMissing ? new Error('it is missing') : (error as Error);
    return { ...result, problems: [{ path: join(directory, stateName), error: problem }] };
  }
}

/**
 * Whether a state that is missing was saved. Lines are written before the first state, but the session
 * is marked as whole after it.
 */
const isStateLost = (names: readonly string[]): boolean =>
  names.includes(wholeName) && generationsIn(names).length > 0;

/** The end of the part of a file of segments that is in use. */
const endOf = (extents: readonly Extent[]): number =>
  Math.max(fileHeaderBytes, ...extents.map(({ end }) => end));

/** Reads a session's files and returns those that are damaged. Never throws. */
export function problemsOf(files: StoreFiles, directory: string): SkippedFile[] {
  try {
    files.checkDirectory(directory);
    // It was removed meanwhile, or is being made.
    const names = files.names(directory);
    if (!names.includes(stateName) && !isStateLost(names)) return [];
    const { problems } = findSession(files, directory);
    if (problems.length > 0) {
      return problems.map(({ path, error }) => problem(path, error));
    }
    const { head } = readSealed<StateHead>(files, directory, 'state');
    return segmentProblems(files, directory, head);
  } catch (error) {
    return [problem(directory, error as Error)];
  }
}

const problem = (path: string, error: Error): SkippedFile => ({
  path,
  reason: error.message,
  ...(!isDamage(error) && { isKept: true }),
});

/**
 * Whether an error of reading a session means that its files are damaged. They are not if they are of a later version
 * or of another user, or if the system could not read them this time.
 */
export function isDamage(error: unknown): boolean {
  if (error instanceof OtherVersion || error instanceof ForeignFile) return false;
  const { errno, code } = error as NodeJS.ErrnoException;
  return errno === undefined || code === 'ENOENT';
}

function segmentProblems(
  files: StoreFiles,
  directory: string,
  { generation, extents }: StateHead,
): SkippedFile[] {
  const path = join(directory, segmentsName(generation));
  try {
    const segments = readSegments(files, directory, generation, extents);
    const read = segments.reduce((sum, { bytes }) => sum + recordOverheadBytes + bytes.length, 0);
    const saved = extents.reduce((sum, { start, end }) => sum + end - start, 0);
    return read < saved ? [{ path, reason: 'it is damaged' }] : [];
  } catch (error) {
    // It was replaced meanwhile, with the state.
    const isReplaced = readSealed<StateHead>(files, directory, 'state').head.generation;
    return isReplaced === generation ? [{ path, reason: (error as Error).message }] : [];
  }
}

/**
 * Returns the state and the lines; damaged parts, and those that cannot be read, are left out. Never throws.
 *
 * @param onUnreadable called with the error of the system for a file that is there, and may not be damaged
 */
export function loadSession(
  files: StoreFiles,
  directory: string,
  onUnreadable: (error: NodeJS.ErrnoException) => void,
): Pick<Saved, 'state' | 'segments'> {
  const report = (error: unknown) => {
    if (isUnreadable(error)) onUnreadable(error);
  };
  try {
    const sealed = readSealed<StateHead>(files, directory, 'state');
    const segments = loadSegments(files, directory, sealed.head, report);
    return { state: stateOf(sealed), segments };
  } catch (error) {
    report(error);
    if (error instanceof OtherVersion) return { state: null, segments: [] };
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { state: null, segments: loadNewestSegments(files, directory, isMissing) };
  }
}

/** Returns the lines where the state that names their file cannot be read. */
function loadNewestSegments(
  files: StoreFiles,
  directory: string,
  isMissing: boolean,
): Saved['segments'] {
  try {
    const names = files.names(directory);
    // Before the first state, no lines belong to the session.
    if (isMissing && !isStateLost(names)) return [];
    return readSegments(files, directory, Math.max(0, ...generationsIn(names)));
  } catch {
    return [];
  }
}

function loadSegments(
  files: StoreFiles,
  directory: string,
  { generation, extents }: StateHead,
  report: (error: unknown) => void,
): Saved['segments'] {
  try {
    return readSegments(files, directory, generation, extents);
  } catch (error) {
    report(error);
    return [];
  }
}

/**
 * Returns the lines in parts of a file of segments; default all.
 *
 * @throws Error if the file cannot be read
 */
function readSegments(
  files: StoreFiles,
  directory: string,
  generation: number,
  extents?: readonly Extent[],
): Saved['segments'] {
  if (generation === 0) return [];
  const file = files.readSync(join(directory, segmentsName(generation)), maxFileBytes);
  checkSegmentFile(file);
  return recordsIn(file, extents ?? [wholeExtent(file)]).map((record) => segmentAt(file, record));
}

const stateOf = ({ head, body }: Sealed<StateHead>): SavedState | null =>
  head.state === null ? null : { ...head.state, bytes: body };

function readSealed<T>(files: StoreFiles, directory: string, kind: 'facts' | 'state'): Sealed<T> {
  return unseal<T>(kind, files.readSync(join(directory, kind), maxFileBytes));
}

/** Removes a file, or a directory and what is in it. Symbolic links are removed, not followed. */
export async function removeTree(files: StoreFiles, path: string): Promise<void> {
  try {
    await files.remove(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    // unlink(2) of a directory: EISDIR on Linux, EPERM by POSIX, ENOTEMPTY from Deno, which removes empty ones.
    if (!['EISDIR', 'EPERM', 'ENOTEMPTY'].includes(code ?? '')) throw error;
    for (const name of files.names(path)) await removeTree(files, join(path, name));
    await files.removeDirectory(path);
  }
}
