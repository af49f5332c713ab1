/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: the expression matches control characters */

interface Kept {
  /** Bytes for the next reads. */
  ready: Buffer;
  /** The start of a sequence or character whose end has not arrived. */
  incomplete: Buffer;
}

/*
 * Sequences of ECMA-48 in bytes, read as Latin-1: one character per byte, unchanged. An 8-bit control
 * is C2 and itself in UTF-8. A string ends where another begins.
 */
const osc = '(?:\\x1b\\]|\\xc2\\x9d)(?:(?!\\xc2[\\x80-\\x9f])[^\\x07\\x1b])*';
const csi = '(?:\\x1b\\[|\\xc2\\x9b)[0-?]*[ -/]*';
const otherString =
  '(?:\\x1b[PX^_]|\\xc2[\\x90\\x98\\x9e\\x9f])(?:(?!\\xc2[\\x80-\\x9f])[^\\x1b])*';
const stringEnd = '(?:\\x1b\\\\|\\xc2\\x9c|(?=\\x1b[^\\\\]))';

/** The start of a UTF-8 character. RFC 3629, section 4. */
const begunCharacter =
  '(?:[\\xc2-\\xdf]|[\\xe0-\\xef][\\x80-\\xbf]?|[\\xf0-\\xf4][\\x80-\\xbf]{0,2})';

/** Operating system commands (8.3.89): titles, links, the clipboard. */
const commands = `${osc}(?:\\x07|${stringEnd})`;
const begunCommand = `${osc}(?:\\x1b|\\xc2)?$|\\x1b$|${begunCharacter}$`;
/** Control sequences, strings of other kinds, and sequences of two or three characters. */
const others = `${csi}[@-~]|${otherString}${stringEnd}|\\x1b[ -/]*[0-OQ-WYZ\\\\\`-~]`;
const begunOther = `${csi}$|${otherString}(?:\\x1b|\\xc2)?$|\\x1b[ -/]*$`;

/** Limit of an unterminated sequence. A longer one is not a sequence, or is meant to block the reader. */
const maxHeldBytes = 8192;

export interface UnreadBytesOptions {
  /** Whether to remove all sequences, not only operating system commands. */
  readonly strip: boolean;
  /** Limit per session; the oldest bytes are dropped. */
  readonly maxBytes: number;
}

/** Bytes that were read from a session but not returned yet, by session id. */
export class UnreadBytes {
  readonly #entries = new Map<string, Kept>();
  readonly #maxBytes: number;
  readonly #complete: RegExp;
  readonly #begun: RegExp;

  constructor({ strip, maxBytes }: UnreadBytesOptions) {
    this.#maxBytes = maxBytes;
    this.#complete = new RegExp(strip ? `${commands}|${others}` : commands, 'g');
    this.#begun = new RegExp(strip ? `(?:${begunCommand}|${begunOther})` : `(?:${begunCommand})`);
  }

  /**
   * Adds bytes without their sequences. They are removed here and not from answers, because an answer
   * may end inside one.
   *
   * @returns the number of oldest bytes dropped
   */
  add(sessionId: string, bytes: Uint8Array): number {
    const { ready, incomplete } = this.#entries.get(sessionId) ?? nothing;
    const text = Buffer.concat([incomplete, bytes]).toString('latin1').replace(this.#complete, '');
    const open = this.#begun.exec(text)?.index ?? text.length;
    const cut = text.length - open > maxHeldBytes ? text.length : open;
    const all = Buffer.concat([ready, Buffer.from(text.slice(0, cut), 'latin1')]);
    const start = characterStart(all, Math.max(0, all.length - this.#maxBytes));
    this.#entries.set(sessionId, {
      ready: all.subarray(start),
      incomplete: Buffer.from(text.slice(cut), 'latin1'),
    });
    return start;
  }

  /** Removes and returns the next bytes, at most `maxBytes`; never part of a character. */
  take(sessionId: string, maxBytes: number): { text: string; leftBytes: number } {
    const { ready, incomplete } = this.#entries.get(sessionId) ?? nothing;
    let end = Math.min(maxBytes, ready.length);
    while (end < ready.length && end > maxBytes - 4 && isContinuation(ready, end)) end--;
    this.#entries.set(sessionId, { ready: ready.subarray(end), incomplete });
    return { text: ready.toString('utf8', 0, end), leftBytes: ready.length - end };
  }

  /** Returns the last bytes, at most `maxBytes`, and forgets the rest. */
  takeEnd(sessionId: string, maxBytes: number): string {
    const { ready } = this.#entries.get(sessionId) ?? nothing;
    this.forget(sessionId);
    return ready.toString('utf8', characterStart(ready, Math.max(0, ready.length - maxBytes)));
  }

  has(sessionId: string): boolean {
    return (this.#entries.get(sessionId)?.ready.length ?? 0) > 0;
  }

  forget(sessionId: string): void {
    this.#entries.delete(sessionId);
  }
}

const nothing: Readonly<Kept> = { ready: Buffer.alloc(0), incomplete: Buffer.alloc(0) };

/** UTF-8: a byte that begins with the bits 10 continues a character. */
const isContinuation = (bytes: Buffer, at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80;

function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && start < bytes.length && start < at + 4 && isContinuation(bytes, start)) {
    start++;
  }
  return start;
}

/** Operating system commands (ECMA-48, 8.3.89), ended by BEL or ST: titles, links, the clipboard. */
const textCommands = /(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$)/g;

/** Removes requests to the terminal emulator, which a model does not need. */
export const withoutCommands = (text: string): string => text.replace(textCommands, '');
