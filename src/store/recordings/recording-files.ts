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
import { quoted } from '#base';
import { checkWritePath, makeDirectory, readOwnFile, replaceFile } from '#config';
import { ioError, ioErrors, VtrError } from '#model';
import { RecordingWriter } from './recording-writer.ts';

/** What is known of a recording, apart from its content. Kept in a file next to it. */
export interface RecordingEntry {
  /** Letters, digits and `-`. */
  readonly id: string;
  /** What a person calls it. */
  readonly name?: string;
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
  readonly end: {
    readonly state: 'ended' | 'stopped';
    readonly reason?: string;
    /** In ms since 1970. */
    readonly atMs?: number;
  } | null;
}

export interface RecordingBounds {
  /** Finished recordings that are kept in the directory. */
  readonly keep: number;
  /** The size of all recordings in the directory, in bytes. */
  readonly totalBytes: number;
  /** How long finished recordings are kept, in ms. */
  readonly maxAgeMs: number;
}

export interface RecordingFilesOptions {
  /** The socket of the coordinator. */
  readonly socket: string;
  readonly bounds: RecordingBounds;
  /** The present, in ms since 1970. */
  readonly wallMs: () => number;
  readonly log: (line: string) => void;
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
  readonly #options: RecordingFilesOptions;
  readonly #entries = new Map<string, RecordingEntry>();
  /** The entries, oldest first; null after a change. Each session asks for them when it is listed. */
  #sorted: readonly RecordingEntry[] | null = null;

  /** Never fails: recordings that cannot be read are logged, and not listed. */
  constructor(directory: string, options: RecordingFilesOptions) {
    const { socket } = options;
    this.#directory = directory;
    this.#options = options;
    for (const entry of this.#saved())
      if (entry.socket === socket) this.#entries.set(entry.id, entry);
  }

  list(): readonly RecordingEntry[] {
    this.#sorted ??= [...this.#entries.values()].sort((a, b) => a.startedAtMs - b.startedAtMs);
    return this.#sorted;
  }

  /** Returns null if the file does not exist or cannot be looked at. */
  bytes(id: string): number | null {
    const file = this.#entries.get(id)?.file;
    try {
      return file === undefined ? null : statSync(file).size;
    } catch {
      return null;
    }
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
    const stored = { ...recording, socket: this.#options.socket, file, end: null };
    checkWritePath(file);
    return ioErrors(file, 'written', () => {
      makeDirectory(this.#directory);
      this.#prune();
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (stats !== undefined && !(force && stats.isFile())) throw existing(file, stats.isFile());
      const writer = this.list().find((each) => each.end === null && each.file === file);
      if (writer !== undefined) throw beingWritten(writer);
      if (stats !== undefined) this.#removeAllOf(file);
      const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
      const fd = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      try {
        writeFileSync(fd, head);
        this.#save(stored);
        return { stored, file: new RecordingWriter(fd, onFailed) };
      } catch (error) {
        this.#forget(stored.id);
        closeSync(fd);
        rmSync(file);
        rmSync(this.#entryFile(stored.id), { force: true });
        throw error;
      }
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

  /** @throws VtrError IO_ERROR, after which the recording has its name of before; RECORDING_NOT_FOUND */
  rename(id: string, name: string): void {
    const entry = { ...this.#entry(id), name };
    const path = this.#entryFile(id);
    ioErrors(path, 'written', () => replaceFile(path, JSON.stringify(entry)));
    this.#entries.set(id, entry);
    this.#sorted = null;
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

  /** Removes a file, and the recordings that ended in it: they would name the file that replaces it. */
  #removeAllOf(file: string): void {
    const ended = [...this.list(), ...this.#saved()].filter(
      (each) => each.file === file && each.end !== null,
    );
    for (const id of new Set(ended.map((each) => each.id))) this.remove(id);
    rmSync(file, { force: true });
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
    return this.#names()
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        const entry = this.#read(join(this.#directory, name));
        return typeof entry?.file === 'string' && `${entry.id}.json` === name ? [entry] : [];
      });
  }

  #names(): string[] {
    try {
      return readdirSync(this.#directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#warn(this.#directory, error);
      return [];
    }
  }

  /** Returns null for the file of another version of vtr, or a damaged one: it is left where it is. */
  #read(path: string): RecordingEntry | null {
    try {
      return JSON.parse(readOwnFile(path));
    } catch (error) {
      if (!(error instanceof SyntaxError)) this.#warn(path, error);
      return null;
    }
  }

  #warn(path: string, error: unknown): void {
    this.#options.log(
      `warning: recordings are not listed: ${ioError(path, 'read', error).message}`,
    );
  }

  /** Removes the oldest finished recordings of the directory that are over the limits. */
  #prune(): void {
    const { keep, totalBytes, maxAgeMs } = this.#options.bounds;
    const finished = this.list().filter(({ end, file }) => end !== null && this.#owns(file));
    let bytes = 0;
    for (const [newer, { id, startedAtMs }] of finished.reverse().entries()) {
      bytes += this.bytes(id) ?? 0;
      const isOld = this.#options.wallMs() - startedAtMs > maxAgeMs;
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
    const place = lastPlaceIn(bytes.subarray(0, readFrom(fd, bytes, from)), from === 0);
    if (place !== null) return { ...place, end: from + place.end };
  }
}

/** Reads until the bytes are full or the file ends: a file that is cut after fewer would lose the rest. */
function readFrom(fd: number, bytes: Buffer, from: number): number {
  let done = 0;
  for (let count = 1; done < bytes.length && count > 0; done += count) {
    count = readSync(fd, bytes, done, bytes.length - done, from + done);
  }
  return done;
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
  new VtrError('RECORDING_NOT_FOUND', `no recording has the id or name ${quoted(id)}`);

function existing(file: string, isFile: boolean): VtrError {
  const message = isFile
    ? `${file} exists; --force overwrites it`
    : `${file} is not a regular file`;
  return new VtrError('INVALID_ARGUMENT', message);
}

const beingWritten = ({ file, session }: RecordingEntry): VtrError =>
  new VtrError('INVALID_ARGUMENT', `session ${session} is being recorded to ${file}; stop that`);
