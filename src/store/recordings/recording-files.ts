import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeDirectory, replaceFile } from '#config';
import { ioError, VtrError } from '#model';
import { RecordingWriter } from './recording-writer.ts';

/** What is known of a recording, apart from its content. Kept in a file next to it. */
export interface RecordingEntry {
  /** Letters, digits and `-`. */
  readonly id: string;
  /** The socket of the coordinator that recorded it. */
  readonly socket: string;
  readonly sessionId: string;
  readonly session: string;
  /** Absolute. */
  readonly file: string;
  readonly version: 2 | 3;
  readonly input: boolean;
  readonly startedAtMs: number;
  /** Null while it goes on. */
  readonly end: { readonly state: 'ended' | 'stopped'; readonly reason?: string } | null;
}

export interface RecordingBounds {
  /** Finished recordings that are kept in the directory. */
  readonly keep: number;
  /** The size of all recordings in the directory, in bytes. */
  readonly totalBytes: number;
  /** How long finished recordings are kept, in ms. */
  readonly maxAgeMs: number;
}

type NewRecording = Omit<RecordingEntry, 'socket' | 'file' | 'end'> & {
  readonly file: string | null;
};

interface NewFileOptions {
  readonly head: Uint8Array;
  readonly force: boolean;
  /** Called when the file cannot be written any more. */
  readonly onFailed: (error: Error) => void;
}

/** A place in a file from which another coordinator can go on. */
const place = /^# vtr \{"offset":\d+,"ms":\d+\}$/;

/** What is read first of the end of a file, in bytes: a place follows each write, of about 64 KiB. */
const endBytes = 1024 * 1024;

/** The recordings of one coordinator, in a directory that coordinators of the user may share. */
export class RecordingFiles {
  readonly #directory: string;
  readonly #socket: string;
  readonly #bounds: RecordingBounds;
  readonly #wallMs: () => number;
  readonly #entries = new Map<string, RecordingEntry>();
  /** The entries, oldest first; null after a change. Each session asks for them when it is listed. */
  #sorted: readonly RecordingEntry[] | null = null;

  /** @param wallMs the present, in ms since 1970 */
  constructor(
    directory: string,
    { socket, bounds, wallMs }: { socket: string; bounds: RecordingBounds; wallMs: () => number },
  ) {
    this.#directory = directory;
    this.#socket = socket;
    this.#bounds = bounds;
    this.#wallMs = wallMs;
    for (const entry of this.#saved())
      if (entry.socket === socket) this.#entries.set(entry.id, entry);
  }

  list(): readonly RecordingEntry[] {
    this.#sorted ??= [...this.#entries.values()].sort((a, b) => a.startedAtMs - b.startedAtMs);
    return this.#sorted;
  }

  bytes(id: string): number | null {
    const file = this.#entries.get(id)?.file;
    return file === undefined ? null : (statSync(file, { throwIfNoEntry: false })?.size ?? null);
  }

  /**
   * Makes a file that begins with the lines of `head`: what fails here fails its caller, later only a
   * reason says so.
   *
   * @throws VtrError IO_ERROR, INVALID_ARGUMENT if the file exists and `force` is not set, or is being
   *   written
   */
  create(
    recording: NewRecording,
    { head, force, onFailed }: NewFileOptions,
  ): { readonly stored: RecordingEntry; readonly file: RecordingWriter } {
    const file = recording.file ?? join(this.#directory, `${recording.id}.cast`);
    const stored = { ...recording, socket: this.#socket, file, end: null };
    return ioErrors(file, 'written', () => {
      makeDirectory(this.#directory);
      this.#prune();
      const found = lstatSync(file, { throwIfNoEntry: false });
      if (found !== undefined && !(force && found.isFile())) throw existing(file, found.isFile());
      const writer = this.list().find((each) => each.end === null && each.file === file);
      if (writer !== undefined) throw beingWritten(writer);
      if (found !== undefined) rmSync(file);
      const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
      const fd = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      try {
        writeFileSync(fd, head);
        this.#save(stored);
      } catch (error) {
        this.#forget(stored.id);
        closeSync(fd);
        rmSync(file);
        throw error;
      }
      return { stored, file: new RecordingWriter(fd, onFailed) };
    });
  }

  /** @throws VtrError IO_ERROR, RECORDING_NOT_FOUND */
  resume(id: string, onFailed: (error: Error) => void) {
    const { file } = this.#entry(id);
    return ioErrors(file, 'written', () => {
      const fd = openSync(file, constants.O_RDWR | constants.O_NOFOLLOW);
      try {
        const { end, lastLine } = lastPlace(fd);
        ftruncateSync(fd, end);
        const content = () => ioErrors(file, 'read', () => readFileSync(file));
        return { file: new RecordingWriter(fd, onFailed), lastLine, content };
      } catch (error) {
        closeSync(fd);
        throw error;
      }
    });
  }

  change(id: string, change: Pick<RecordingEntry, 'end'>): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#save({ ...entry, ...change });
  }

  /**
   * Removes a recording, also one of another coordinator that has ended.
   *
   * @throws VtrError IO_ERROR, RECORDING_NOT_FOUND, INVALID_ARGUMENT
   */
  remove(id: string): void {
    const { file } = this.#entries.get(id) ?? this.#endedElsewhere(id);
    ioErrors(file, 'removed', () => {
      rmSync(file, { force: true });
      rmSync(this.#entryFile(id), { force: true });
    });
    this.#forget(id);
  }

  #entry(id: string): RecordingEntry {
    const entry = this.#entries.get(id);
    if (entry !== undefined) return entry;
    throw notFound(id);
  }

  #endedElsewhere(id: string): RecordingEntry {
    const entry = this.#saved().find((each) => each.id === id);
    if (entry === undefined) throw notFound(id);
    if (entry.end !== null) return entry;
    const message = `the recording goes on in the coordinator at ${entry.socket}, which --coordinator names`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }

  #entryFile(id: string): string {
    return join(this.#directory, `${id}.json`);
  }

  #save(entry: RecordingEntry): void {
    // What is known must not depend on the disk, which may be full.
    this.#entries.set(entry.id, entry);
    this.#sorted = null;
    replaceFile(this.#entryFile(entry.id), JSON.stringify(entry));
  }

  #forget(id: string): void {
    this.#entries.delete(id);
    this.#sorted = null;
  }

  #saved(): RecordingEntry[] {
    let names: string[];
    try {
      names = readdirSync(this.#directory);
    } catch {
      return [];
    }
    return names
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        try {
          const text = readFileSync(join(this.#directory, name), 'utf8');
          const entry = JSON.parse(text) as RecordingEntry | null;
          return typeof entry?.file === 'string' && `${entry.id}.json` === name ? [entry] : [];
        } catch {
          // Another version of vtr, or a damaged file: it is left where it is.
          return [];
        }
      });
  }

  /** Removes the oldest finished recordings of the directory that are over the limits. */
  #prune(): void {
    const { keep, totalBytes, maxAgeMs } = this.#bounds;
    const finished = this.list().filter(({ end, file }) => end !== null && this.#owns(file));
    let bytes = 0;
    for (const [newer, { id, startedAtMs }] of finished.reverse().entries()) {
      bytes += this.bytes(id) ?? 0;
      const isOld = this.#wallMs() - startedAtMs > maxAgeMs;
      if (isOld || newer >= keep || bytes > totalBytes) this.remove(id);
    }
  }

  /** Files that a user named elsewhere are the user's. */
  #owns(file: string): boolean {
    return file.startsWith(`${this.#directory}/`);
  }
}

/** Returns the last line that says a place, and where it ends; the last whole line if none does. */
function lastPlace(fd: number): { readonly end: number; readonly lastLine: string } {
  const { size } = fstatSync(fd);
  for (let length = Math.min(size, endBytes); ; length = Math.min(size, length * 8)) {
    const bytes = Buffer.alloc(length);
    const from = size - length;
    const found = lastPlaceIn(bytes.subarray(0, readSync(fd, bytes, 0, length, from)), from === 0);
    if (found !== null) return { ...found, end: from + found.end };
  }
}

/** @param isWhole whether the bytes are the whole file; else null is returned if none of its lines fits */
function lastPlaceIn(bytes: Buffer, isWhole: boolean) {
  const whole = bytes.lastIndexOf('\n') + 1;
  let last: string | null = null;
  for (let end = whole; end > 0; ) {
    const begin = end < 2 ? 0 : bytes.lastIndexOf('\n', end - 2) + 1;
    if (begin === 0 && !isWhole) return null;
    const line = bytes.toString('utf8', begin, end - 1);
    if (place.test(line)) return { end, lastLine: line };
    last ??= line;
    end = begin;
  }
  return isWhole ? { end: whole, lastLine: last ?? '' } : null;
}

const notFound = (id: string): VtrError =>
  new VtrError('RECORDING_NOT_FOUND', `no recording has the id ${JSON.stringify(id)}`);

function existing(file: string, isFile: boolean): VtrError {
  const message = isFile
    ? `${file} exists; --force overwrites it`
    : `${file} is not a regular file`;
  return new VtrError('INVALID_ARGUMENT', message);
}

const beingWritten = ({ file, session }: RecordingEntry): VtrError =>
  new VtrError('INVALID_ARGUMENT', `session ${session} is being recorded to ${file}; stop that`);

function ioErrors<T>(path: string, done: 'read' | 'removed' | 'written', operate: () => T): T {
  try {
    return operate();
  } catch (error) {
    throw ioError(path, done, error);
  }
}
