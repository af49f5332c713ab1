interface Kept {
  /** What the next reads are given. */
  ready: Buffer;
  /** The beginning of an operating system command whose end has not come. */
  held: Buffer;
}

/** Complete operating system commands (ECMA-48, 8.3.89): titles, links, the clipboard. */
const commands = /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;
const begunCommand = /\u001b(?:\][^\u0007\u001b]*\u001b?)?$/;
/** What is longer without an end is none, or is meant to keep the reader waiting. */
const maxHeldBytes = 8192;

/** Bytes that were read from a session and did not fit into the answer yet, by the session's id. */
export class UnreadBytes {
  readonly #kept = new Map<string, Kept>();

  /** Operating system commands go here, where they are whole: an answer may end inside one. */
  add(sessionId: string, bytes: Uint8Array): void {
    const { ready, held } = this.#kept.get(sessionId) ?? nothing;
    // As Latin-1 each byte is a character, and stays what it is.
    const text = Buffer.concat([held, bytes]).toString('latin1').replace(commands, '');
    const open = begunCommand.exec(text)?.index ?? text.length;
    const cut = text.length - open > maxHeldBytes ? text.length : open;
    this.#kept.set(sessionId, {
      ready: Buffer.concat([ready, Buffer.from(text.slice(0, cut), 'latin1')]),
      held: Buffer.from(text.slice(cut), 'latin1'),
    });
  }

  /** The next of them, at most so many; never a part of a character, unless its end has not come. */
  take(sessionId: string, maxBytes: number): { text: string; leftBytes: number } {
    const { ready, held } = this.#kept.get(sessionId) ?? nothing;
    let end = Math.min(maxBytes, ready.length);
    // UTF-8: what begins with the bits 10 goes on with the character before it.
    while (end < ready.length && end > maxBytes - 4 && ((ready[end] ?? 0) & 0xc0) === 0x80) end--;
    this.#kept.set(sessionId, { ready: ready.subarray(end), held });
    return { text: ready.toString('utf8', 0, end), leftBytes: ready.length - end };
  }

  has(sessionId: string): boolean {
    return (this.#kept.get(sessionId)?.ready.length ?? 0) > 0;
  }
}

const nothing: Readonly<Kept> = { ready: Buffer.alloc(0), held: Buffer.alloc(0) };
