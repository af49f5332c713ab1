import { ignored } from '#base';
import type { SpawnRequest } from './coordinator.ts';
import { VtrError } from './errors.ts';

/** The largest file that is copied to the machine of a session, in bytes. */
export const maxFileBytes = 8 * 1024 * 1024;
/** The longest name of a file, in UTF-16 code units; each has at most 3 bytes in UTF-8, and file systems take 255. */
const maxNameLength = 80;
/** How long a writer may wait for the next part, and a file for its writer, in ms. */
export const filePartMs = 60_000;

/** Of an id, which is longer: enough that no two are alike. */
const keptIdLength = 16;

/**
 * The beginning of the names of the directories, below `$TMPDIR` or `/tmp`, that have the files of a session. The daemon
 * removes them with the session.
 */
export const keptPrefix = (sessionId: string): string =>
  `vtr-file-${sessionId.replace(/\W|_/g, '').slice(0, keptIdLength)}-`;

/** Writes its input to a file that only its owner can read, in a directory of its own, and prints the directory. */
const writer = [
  'umask 077',
  'stty raw -echo || exit',
  `dir=$(mktemp -d "\${TMPDIR:-/tmp}/$3XXXXXX") || exit`,
  // A part of a file is not left behind.
  `trap 'rm -rf "$dir"; exit 1' HUP TERM`,
  `printf 'ready\\r\\n'`,
  'head -c "$1" > "$dir/$2" || { rm -rf "$dir"; exit 1; }',
  'trap - HUP TERM',
  `printf 'at %s\\r\\n' "$dir"`,
  'read -r _',
].join('\n');

/**
 * Returns the name that a file gets on the machine of a session: no shell and no agent needs quotes for it, and it shows
 * as it is.
 *
 * @param name as a person's machine has it, perhaps with directories
 */
export function keptName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = last
    .normalize('NFC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
    // Files that begin with a point are hidden, and an option begins with a hyphen. A mark needs a letter.
    .replace(/^[\p{M}.-]+/u, '');
  const suffix = /\.[A-Za-z0-9]{1,10}$/.exec(plain)?.[0] ?? '';
  const stem = plain.slice(0, plain.length - suffix.length);
  const short = [...stem].reduce(
    (text, each) =>
      text.length + each.length + suffix.length > maxNameLength ? text : text + each,
    '',
  );
  return `${short === '' ? 'file' : short}${suffix}`;
}

/** @throws VtrError INVALID_ARGUMENT */
export function checkFileSize(bytes: number): void {
  if (Number.isSafeInteger(bytes) && bytes >= 0 && bytes <= maxFileBytes) return;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `a file has at most ${maxFileBytes / 1024 / 1024} MiB; copy a larger one by scp`,
  );
}

/** The calls of a coordinator that a file needs, for one session of its own. @template Part of the file */
export interface WriterCalls<Part> {
  spawn(request: SpawnRequest): Promise<void>;
  /** Returns the first group of the first match since the start, within {@link filePartMs}; null if there is none. */
  find(pattern: string): Promise<string | null>;
  send(part: Part): Promise<void>;
  remove(force: boolean): Promise<void>;
}

/**
 * A file of mode 0600 that is written on the machine of a coordinator, in a directory of its own. A session that ends with
 * it writes the file: whoever may make sessions there may write it.
 *
 * @template Part of the file
 */
export class KeptFile<Part> {
  readonly #calls: WriterCalls<Part>;
  readonly #name: string;

  private constructor(calls: WriterCalls<Part>, name: string) {
    this.#calls = calls;
    this.#name = name;
  }

  /** @param file `sessionId`: with that session, the file is removed @throws VtrError */
  static async begin<Part>(
    calls: WriterCalls<Part>,
    {
      name,
      bytes,
      sessionId,
    }: { readonly name: string; readonly bytes: number; readonly sessionId: string },
  ): Promise<KeptFile<Part>> {
    checkFileSize(bytes);
    const file = new KeptFile(calls, keptName(name));
    await calls.spawn({
      program: 'sh',
      args: ['-c', writer, 'sh', String(bytes), file.#name, keptPrefix(sessionId)],
      environment: 'minimal',
      // A path is one row.
      size: { cols: 1000, rows: 24 },
      persist: false,
      record: false,
      // Who sends the file may be gone.
      lifetime: { idleMs: filePartMs },
    });
    try {
      if ((await calls.find('^(ready)')) === null) throw notWritten();
      return file;
    } catch (error) {
      await file.cancel();
      throw error;
    }
  }

  /** @throws VtrError */
  write(part: Part): Promise<void> {
    return this.#calls.send(part);
  }

  /** Waits until all bytes are written. @returns the path @throws VtrError */
  async end(): Promise<string> {
    const directory = await this.#calls.find('^at (/.*)$');
    if (directory === null) throw notWritten();
    await this.#calls.remove(true);
    return `${directory}/${this.#name}`;
  }

  /** Removes what was written so far. Never fails. */
  async cancel(): Promise<void> {
    await ignored(this.#calls.remove(false), 'the session may have ended');
  }
}

const notWritten = (): VtrError =>
  new VtrError('IO_ERROR', 'the file could not be written on the machine of the session');
