import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { ioError } from '#model';
import type { AuditEntry } from './entry.ts';
import { trailFiles } from './trail.ts';

export interface AuditQuery {
  /** A name that the session has or had, or its id. Default: all. */
  readonly session?: string;
  /** In ms since 1970. */
  readonly sinceMs?: number;
  /** The newest so many of them. */
  readonly last?: number;
}

export interface AuditRead {
  /** Oldest first. */
  readonly entries: readonly AuditEntry[];
  /** Lines that are not whole, because their writer was killed or the disk was full. */
  readonly damaged: number;
}

/**
 * Reads a trail, which may be being written. No daemon is needed.
 *
 * @throws VtrError IO_ERROR
 */
export function readTrail(directory: string, query: AuditQuery = {}): AuditRead {
  const { session, last = Number.POSITIVE_INFINITY } = query;
  const reader = new TrailReader(directory);
  const isWanted = filterOf(query, session === undefined ? [] : new TrailReader(directory).next());
  const entries: AuditEntry[] = [];
  for (const entry of reader.next()) {
    if (!isWanted(entry)) continue;
    entries.push(entry);
    if (entries.length >= 2 * last) entries.splice(0, entries.length - last);
  }
  return { entries: entries.slice(-last), damaged: reader.damaged };
}

/**
 * Returns a filter of entries, which also passes those of the session from before it was renamed.
 *
 * @param entries the entries before those that are asked about
 */
export function filterOf(
  { session, sinceMs = 0 }: AuditQuery,
  entries: Iterable<AuditEntry>,
): (entry: AuditEntry) => boolean {
  if (session === undefined) return ({ time }) => Date.parse(time) >= sinceMs;
  const ids = new Set([session]);
  const note = (entry: AuditEntry) => {
    const isNamed = entry.session === session || entry.details?.['new_name'] === session;
    const { session_id: id } = entry;
    if (isNamed && entry.refused === undefined && id !== undefined) ids.add(id);
  };
  for (const entry of entries) note(entry);
  return (entry) => {
    note(entry);
    const isOfIt = entry.session === session || ids.has(entry.session_id ?? '');
    return isOfIt && Date.parse(entry.time) >= sinceMs;
  };
}

/** Reads a trail as far as it is written, again and again. */
export class TrailReader {
  readonly #directory: string;
  /** How much of each file was read, in bytes. */
  readonly #read = new Map<string, number>();
  damaged = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns the entries that were not read yet, oldest first. @throws VtrError IO_ERROR */
  *next(): Generator<AuditEntry> {
    const files = this.#files();
    for (const file of files) yield* this.#entriesOf(file, file === files.at(-1));
  }

  #files(): string[] {
    try {
      return trailFiles(this.#directory);
    } catch (error) {
      throw ioError(this.#directory, 'read', error);
    }
  }

  /** @param isNewest its last line may be being written */
  *#entriesOf(file: string, isNewest: boolean): Generator<AuditEntry> {
    for (const { text, end } of linesOf(file, this.#read.get(file) ?? 0, isNewest)) {
      this.#read.set(file, end);
      if (text === '') continue;
      const entry = text === null ? null : parsed(text);
      if (entry === null) this.damaged++;
      else yield entry;
    }
  }
}

const lineFeed = 0x0a;
/** How much is read at a time, in bytes: a file can be larger than a Buffer. */
const partBytes = 1024 * 1024;
/** A longer line is not of a trail, in bytes. */
const maxLineBytes = 16 * 1024 * 1024;

interface Line {
  /** Null for a line that is too long. */
  readonly text: string | null;
  /** The offset of what follows it in the file, in bytes. */
  readonly end: number;
}

/**
 * Reads the lines of a file from an offset on; none of a file that was removed meanwhile.
 *
 * @param isOpen whether a last line without a line feed is left out
 * @throws VtrError IO_ERROR
 */
export function* linesOf(path: string, from: number, isOpen: boolean): Generator<Line> {
  let begin = Buffer.alloc(0);
  let isTooLong = false;
  const lineWith = (rest: Buffer) => {
    const isWhole = !isTooLong && begin.length + rest.length <= maxLineBytes;
    const text = isWhole ? Buffer.concat([begin, rest]).toString('utf8') : null;
    begin = Buffer.alloc(0);
    isTooLong = false;
    return text;
  };
  let end = from;
  for (const part of partsOf(path, from)) {
    let start = 0;
    for (let at = part.indexOf(lineFeed); at !== -1; at = part.indexOf(lineFeed, start)) {
      const text = lineWith(part.subarray(start, at));
      start = at + 1;
      yield { text, end: end + start };
    }
    const rest = part.subarray(start);
    isTooLong ||= begin.length + rest.length > maxLineBytes;
    begin = isTooLong ? Buffer.alloc(0) : Buffer.concat([begin, rest]);
    end += part.length;
  }
  if (!isOpen && (isTooLong || begin.length > 0)) yield { text: lineWith(Buffer.alloc(0)), end };
}

/** Reads what a file has from an offset on. Each part is valid until the next one. @throws VtrError IO_ERROR */
function* partsOf(path: string, from: number): Generator<Buffer> {
  let file: number | null = null;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error('is not a regular file');
    const buffer = Buffer.alloc(Math.min(partBytes, Math.max(0, stat.size - from)));
    for (let at = from; at < stat.size; ) {
      const count = readSync(file, buffer, 0, Math.min(buffer.length, stat.size - at), at);
      if (count === 0) break;
      at += count;
      yield buffer.subarray(0, count);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw ioError(path, 'read', error);
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Returns null for a line that is not whole. */
export function parsed(line: string): AuditEntry | null {
  try {
    const entry: unknown = JSON.parse(line);
    const isEntry = typeof entry === 'object' && entry !== null && 'time' in entry;
    return isEntry ? (entry as AuditEntry) : null;
  } catch {
    return null;
  }
}
