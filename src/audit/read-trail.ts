import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { ioError } from '#model';
import type { AuditEntry } from './entry.ts';
import { trailFiles } from './trail-files.ts';

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
  const isWanted = wanted(query, session === undefined ? [] : new TrailReader(directory).next());
  const entries: AuditEntry[] = [];
  for (const entry of reader.next()) {
    if (!isWanted(entry)) continue;
    entries.push(entry);
    if (entries.length >= 2 * last) entries.splice(0, entries.length - last);
  }
  return { entries: entries.slice(-last), damaged: reader.damaged };
}

/**
 * Returns whether an entry is wanted: also one of the session from before it was renamed.
 *
 * @param known the entries before those that are asked about
 */
export function wanted(
  { session, sinceMs = 0 }: AuditQuery,
  known: Iterable<AuditEntry>,
): (entry: AuditEntry) => boolean {
  if (session === undefined) return ({ time }) => Date.parse(time) >= sinceMs;
  const ids = new Set([session]);
  const note = (entry: AuditEntry) => {
    const isNamed = entry.session === session || entry.details?.['new_name'] === session;
    const { session_id: id } = entry;
    if (isNamed && entry.refused === undefined && id !== undefined) ids.add(id);
  };
  for (const entry of known) note(entry);
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
    const from = this.#read.get(file) ?? 0;
    const bytes = contentOf(file, from);
    const end = isNewest ? bytes.lastIndexOf(lineFeed) + 1 : bytes.length;
    this.#read.set(file, from + end);
    for (const line of bytes.toString('utf8', 0, end).split('\n')) {
      if (line === '') continue;
      const entry = parsed(line);
      if (entry === null) this.damaged++;
      else yield entry;
    }
  }
}

const lineFeed = 0x0a;

/** Returns what a file has from an offset on; nothing of a file that was removed meanwhile. */
function contentOf(path: string, from: number): Buffer {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(file);
      if (!stat.isFile()) throw new Error('is not a regular file');
      const bytes = Buffer.alloc(Math.max(0, stat.size - from));
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw ioError(path, 'read', error);
  }
}

function parsed(line: string): AuditEntry | null {
  try {
    const entry: unknown = JSON.parse(line);
    const isEntry = typeof entry === 'object' && entry !== null && 'time' in entry;
    return isEntry ? (entry as AuditEntry) : null;
  } catch {
    return null;
  }
}
