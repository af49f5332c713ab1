import { decodeUtf8 } from '#base';
import { asVtrError, type VtrError } from '#model';

/** The beginning of the line after which `vtr connect` sends the bytes of a coordinator. */
const mark = 'vtr-connect ';

/** Shells print greetings of their own before it; no line of them is read for longer than this, in bytes. */
const maxNoise = 64 * 1024;

/** What `vtr connect` says first: its version and the coordinator's socket, or why there is no coordinator. */
export type Greeting =
  | { readonly version: string; readonly socket?: string }
  | { readonly error: { readonly message: string; readonly reason: string } };

/** The line of a connection that is made. @param socket path of the coordinator's socket */
export const greetingLine = (version: string, socket: string): string =>
  lineOf({ version, socket });

/** The line of one that cannot be made. */
export function failureLine(thrown: unknown): string {
  const { message, details }: VtrError = asVtrError(thrown);
  return lineOf({ error: { message, reason: String(details['reason'] ?? '') } });
}

const lineOf = (greeting: Greeting): string => `${mark}${JSON.stringify(greeting)}\n`;

/** Finds the greeting in the first bytes of a connection, after what shells print. */
export class GreetingReader {
  #bytes: Buffer = Buffer.alloc(0);

  /** What was read so far, for a message. */
  get noise(): string {
    return decodeUtf8(this.#bytes);
  }

  /**
   * @returns the greeting and the bytes after it; null if it has not arrived; `none` if too many other bytes
   * have
   */
  push(chunk: Buffer): { readonly greeting: Greeting; readonly rest: Buffer } | 'none' | null {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (let start = 0; ; ) {
      const end = this.#bytes.indexOf('\n', start);
      if (end === -1) break;
      const greeting = greetingIn(decodeUtf8(this.#bytes.subarray(start, end)));
      if (greeting !== null) return { greeting, rest: this.#bytes.subarray(end + 1) };
      start = end + 1;
    }
    return this.#bytes.length > maxNoise ? 'none' : null;
  }
}

function greetingIn(line: string): Greeting | null {
  const at = line.indexOf(mark);
  if (at === -1) return null;
  try {
    const { version, socket, error } = JSON.parse(line.slice(at + mark.length));
    // Older versions do not tell the socket.
    if (typeof version === 'string')
      return { version, ...(typeof socket === 'string' && { socket }) };
    const { message, reason } = error;
    return { error: { message: String(message), reason: String(reason) } };
  } catch {
    return null;
  }
}
