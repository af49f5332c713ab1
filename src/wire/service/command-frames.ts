import type { CommandCall } from '#model';

/**
 * How a command is run by the daemon: for `contrib/quick/vtr.c`, and for `vtr` where it is sooner done there. All numbers
 * are little endian.
 *
 * The caller sends {@link commandPreface}, which an earlier daemon takes for bad HTTP, the length of what follows (4
 * bytes, at most {@link maxCommandBytes}), and texts, each with a NUL byte behind it:
 *
 * - the facts of the caller, separated by spaces: 1 if stdout is a terminal, its width (0: unknown), 1 if stdout and
 *   stderr are the same file, the id of the process that started it, and of `vtr` the state of its program
 * - its directory
 * - the number of words of the command, then each of them
 * - the variables of its environment, as NAME=VALUE
 *
 * Then it sends the byte `I` for each SIGINT. If it closes the connection, the command is cancelled.
 *
 * Every answer is a letter, the length of its payload (4 bytes, at most {@link maxPayload}) and the payload: `o`
 * for stdout, `e` for stderr, `x` for the end, with the exit status in a byte, and `n` if the caller must run the
 * command with Node.js. A connection that closes without `x` or `n` is that of a daemon that ended.
 */
export const commandPreface = 'vtr-command/1\n';

export const maxCommandBytes = 1024 * 1024;
export const maxPayload = 64 * 1024;

/** What a caller sends. */
export type CommandRequest = Pick<
  CommandCall,
  'words' | 'cwd' | 'env' | 'isTerminal' | 'columns' | 'sharesOutput' | 'ppid' | 'program'
>;

/** Returns a request with its preface; null if it is too long. */
export function encodeCommand({
  words,
  cwd,
  env,
  isTerminal,
  columns,
  sharesOutput,
  ppid,
  program,
}: CommandRequest): Buffer | null {
  const facts = [
    Number(isTerminal),
    columns ?? 0,
    Number(sharesOutput),
    ppid,
    program ?? [],
  ].flat();
  const texts = [facts.join(' '), cwd, String(words.length), ...words];
  for (const name in env) texts.push(`${name}=${env[name]}`);
  const text = `${texts.join('\0')}\0`;
  const length = Buffer.byteLength(text);
  if (length > maxCommandBytes) return null;
  const start = commandPreface.length + 4;
  const bytes = Buffer.allocUnsafeSlow(start + length);
  bytes.write(commandPreface, 'latin1');
  bytes.writeUInt32LE(length, commandPreface.length);
  bytes.write(text, start);
  return bytes;
}

/** Reads the texts of a request; null if they are not a request, or not UTF-8. */
export function readCommand(request: Buffer): CommandRequest | null {
  const text = request.toString();
  // Node.js would replace what is not UTF-8, too, and says so in a command.
  if (!text.endsWith('\0') || text.includes('\ufffd')) return null;
  const [facts = '', cwd = '', count = '', ...rest] = text.slice(0, -1).split('\0');
  const numbers = /^([01]) (\d{1,5}) ([01]) (\d{1,10})(?: (\S{1,200}))?$/.exec(facts);
  if (numbers === null || !cwd.startsWith('/') || !/^\d{1,6}$/.test(count)) return null;
  const words = rest.slice(0, Number(count));
  if (words.length !== Number(count)) return null;
  const [, isTerminal, columns, sharesOutput, ppid, program = null] = numbers;
  const env: Record<string, string> = Object.create(null);
  for (const variable of rest.slice(words.length)) {
    const at = variable.indexOf('=');
    // As in Node.js, the first one counts.
    if (at > 0) env[variable.slice(0, at)] ??= variable.slice(at + 1);
  }
  return {
    words,
    cwd,
    env,
    isTerminal: isTerminal === '1',
    columns: isTerminal === '1' ? Number(columns) || null : null,
    sharesOutput: sharesOutput === '1',
    ppid: Number(ppid),
    program,
  };
}

/** A part of an answer: what is printed, the exit status, or that the caller must run the command. */
export type CommandPart =
  | { readonly file: 1 | 2; readonly bytes: Uint8Array }
  | { readonly status: number }
  | 'refused';

/** Reads the parts of an answer. */
export class CommandAnswer {
  #rest: Buffer = Buffer.alloc(0);

  /** Returns the parts that are complete; null if the bytes are no answer, as those of an earlier daemon. */
  add(bytes: Buffer): CommandPart[] | null {
    let rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const parts: CommandPart[] = [];
    while (rest.length >= 5) {
      const end = 5 + rest.readUInt32LE(1);
      if (end > 5 + maxPayload) return null;
      if (rest.length < end) break;
      const part = partOf(String.fromCharCode(rest[0] ?? 0), rest.subarray(5, end));
      if (part === null) return null;
      parts.push(part);
      rest = rest.subarray(end);
    }
    this.#rest = rest;
    return parts;
  }
}

function partOf(letter: string, bytes: Buffer): CommandPart | null {
  const [status] = bytes;
  if (letter === 'o' || letter === 'e') return { file: letter === 'o' ? 1 : 2, bytes };
  if (letter === 'x' && bytes.length === 1 && status !== undefined) return { status };
  return letter === 'n' && bytes.length === 0 ? 'refused' : null;
}
