import { type FileHandle, lstat, open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { ignored } from '#base';
import type { ForwardTo } from '#config';
import { UnixDatagrams } from '#libc';
import type { AuditEntry } from './entry.ts';
import { appending, endsWithinLine, lineFeed, writeOnce } from './trail.ts';

/** An entry of a trail, and its line without the line feed. */
export interface ForwardedEntry {
  readonly entry: AuditEntry;
  readonly line: string;
}

/** Where entries of a trail are forwarded to. */
export interface ForwardTarget {
  /** Hands over entries in their order. Never fails: returns how many were taken, and the error if not all were. */
  send(entries: readonly ForwardedEntry[]): Promise<{ count: number; error: unknown }>;
  close(): Promise<void>;
}

/** Returns the target that a configuration names. It opens nothing before the first entry. */
export function forwardTarget({ kind, path }: ForwardTo): ForwardTarget {
  if (kind === 'file') return new FileTarget(path);
  const messageOf = kind === 'syslog' ? syslogMessage : journalMessage;
  return new DatagramTarget(path, messageOf);
}

/** Appends the lines of the trail to a file. A file that was renamed or removed is begun anew, without a signal. */
class FileTarget implements ForwardTarget {
  readonly #path: string;
  #file: FileHandle | null = null;
  /** Device and inode of the open file. */
  #identity = '';
  /** Whether its last line is not complete: the disk was full. */
  #isTorn = false;

  constructor(path: string) {
    this.#path = path;
  }

  async send(entries: readonly ForwardedEntry[]): Promise<{ count: number; error: unknown }> {
    const bytes = Buffer.from(entries.map(({ line }) => `${line}\n`).join(''));
    let done = 0;
    let error: unknown = null;
    try {
      const file = await this.#current();
      if (this.#isTorn) await writeSome(file, Buffer.of(lineFeed));
      this.#isTorn = false;
      while (done < bytes.length) done += await writeSome(file, bytes.subarray(done));
    } catch (thrown) {
      error = thrown;
    }
    // An entry without its line feed is sent again.
    const count = bytes.subarray(0, done).filter((byte) => byte === lineFeed).length;
    if (done > 0) this.#isTorn = bytes[done - 1] !== lineFeed;
    return { count, error };
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await ignored(file?.close(), 'what was not written is sent again');
  }

  /** @throws Error of the system */
  async #current(): Promise<FileHandle> {
    const there = await lstat(this.#path).catch(() => null);
    if (this.#file !== null && there !== null && identityOf(there) === this.#identity) {
      return this.#file;
    }
    await this.close();
    const file = await open(this.#path, appending, 0o600);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw new Error('it is not a regular file');
      this.#isTorn = await endsWithinLine(file, stat.size);
      this.#identity = identityOf(stat);
    } catch (error) {
      await file.close();
      throw error;
    }
    this.#file = file;
    return file;
  }
}

const identityOf = ({ dev, ino }: { readonly dev: number; readonly ino: number }): string =>
  `${dev} ${ino}`;

/** @throws Error of the system */
async function writeSome(file: FileHandle, bytes: Uint8Array): Promise<number> {
  const count = await writeOnce(file, bytes);
  if (count === 0) throw new Error('the disk is full');
  return count;
}

/** Sends each entry as a datagram to a Unix socket. */
class DatagramTarget implements ForwardTarget {
  readonly #path: string;
  readonly #messageOf: (entry: ForwardedEntry) => Buffer;
  #connection: UnixDatagrams | null = null;

  constructor(path: string, messageOf: (entry: ForwardedEntry) => Buffer) {
    this.#path = path;
    this.#messageOf = messageOf;
  }

  async send(entries: readonly ForwardedEntry[]): Promise<{ count: number; error: unknown }> {
    let count = 0;
    try {
      this.#connection ??= UnixDatagrams.connect(this.#path);
      for (const each of entries) {
        this.#sendOne(this.#connection, each);
        count++;
      }
      return { count, error: null };
    } catch (error) {
      // A receiver that has ended has another socket at its next start.
      if (codeOf(error) !== 'EAGAIN') await this.close();
      return { count, error };
    }
  }

  async close(): Promise<void> {
    this.#connection?.close();
    this.#connection = null;
  }

  /** @throws Error of the system */
  #sendOne(connection: UnixDatagrams, each: ForwardedEntry): void {
    try {
      connection.send(this.#messageOf(each));
    } catch (error) {
      if (codeOf(error) !== 'EMSGSIZE') throw error;
      connection.send(this.#messageOf(shortened(each)));
    }
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Returns an entry without what can be long. Its hash is that of the whole entry. */
function shortened({ entry: { text: _text, details: _details, ...rest } }: ForwardedEntry) {
  const entry: AuditEntry = { ...rest, details: { shortened: true } };
  return { entry, line: JSON.stringify(entry) };
}

/** `authpriv` of RFC 5424, section 6.2.1: on most systems, only administrators read it. */
const facility = 10;

/** Severities of RFC 5424, section 6.2.1: warning, notice and informational. */
const severityOf = ({ action, refused }: AuditEntry): number => {
  if (action === 'gap') return 4;
  return refused === undefined ? 6 : 5;
};

/** Printable ASCII without spaces, as the fields of a header are; `-` if nothing is left. */
const headerField = (text: string, maxLength: number): string =>
  text
    .replace(/ /g, '-')
    .replace(/[^!-~]/g, '')
    .slice(0, maxLength) || '-';

/** A message of RFC 5424, section 6, with the line of the trail as its text. */
function syslogMessage({ entry, line }: ForwardedEntry): Buffer {
  const priority = facility * 8 + severityOf(entry);
  const host = headerField(hostname(), 255);
  const action = headerField(entry.action, 32);
  const header = `<${priority}>1 ${entry.time} ${host} vtr ${process.pid} ${action} -`;
  return Buffer.from(`${header} ${line}`);
}

/** The fields of an entry that are fields of the journal, too. */
const journalFields = [
  ...(['time', 'action', 'client', 'pid', 'by', 'session', 'session_id', 'bytes'] as const),
  ...(['sha256', 'text', 'refused', 'seq', 'chain'] as const),
] as const satisfies readonly (keyof AuditEntry)[];

/** A message of the native protocol of systemd-journald. */
function journalMessage({ entry, line }: ForwardedEntry): Buffer {
  const { action, session, client, by, refused } = entry;
  const who = by === undefined ? client : `${client} (${by})`;
  const where = session === undefined ? '' : ` ${session}`;
  const end = refused === undefined ? '' : `, refused: ${refused}`;
  const fields: [string, string][] = [
    ['MESSAGE', `${action}${where} by ${who}${end}`],
    ['PRIORITY', String(severityOf(entry))],
    ['SYSLOG_FACILITY', String(facility)],
    ['SYSLOG_IDENTIFIER', 'vtr'],
    ...journalFields.flatMap((name): [string, string][] =>
      entry[name] === undefined ? [] : [[`VTR_${name.toUpperCase()}`, String(entry[name])]],
    ),
    ['VTR_ENTRY', line],
  ];
  return Buffer.concat(fields.map(([name, value]) => journalField(name, value)));
}

/** A value of several lines is preceded by its length. */
function journalField(name: string, value: string): Buffer {
  if (!value.includes('\n')) return Buffer.from(`${name}=${value}\n`);
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return Buffer.concat([Buffer.from(`${name}\n`), length, bytes, Buffer.of(lineFeed)]);
}
