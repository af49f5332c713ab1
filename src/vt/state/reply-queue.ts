/** Maximum bytes of pending replies; further replies are dropped. */
const maxPendingReplies = 4096;

/**
 * A queue of replies to the program's queries. Replies are ASCII and consist of numbers and fixed
 * strings. Text chosen by output is never sent back as input.
 */
export class ReplyQueue {
  /**
   * S8C1T: send C1 controls as one byte, which is not valid UTF-8, instead of ESC and a letter, as
   * xterm does.
   */
  eightBit = false;
  #pending: string[] = [];
  #length = 0;
  /** Bytes of replies that were dropped since the start. */
  droppedBytes = 0;

  /** Whether there is room for a reply of so many bytes. */
  hasRoom(bytes: number): boolean {
    return this.#length + bytes <= maxPendingReplies;
  }

  /** Adds a reply, written with 7-bit controls. */
  push(reply: string): void {
    if (!this.hasRoom(reply.length)) {
      this.droppedBytes += reply.length;
      return;
    }
    this.#pending.push(this.eightBit ? withC1(reply) : reply);
    this.#length += reply.length;
  }

  /** Removes and returns the pending replies; null if there are none. */
  take(): Uint8Array | null {
    if (this.#length === 0) return null;
    const text = this.#pending.join('');
    this.#pending = [];
    this.#length = 0;
    return Uint8Array.from(text, (char) => char.charCodeAt(0));
  }
}

/** Every C1 control is equivalent to ESC and the character 0x40 below it (ECMA-35 6.3.3). */
function withC1(reply: string): string {
  return reply.replace(/\x1b([@-_])/g, (_, final: string) =>
    String.fromCharCode(final.charCodeAt(0) + 0x40),
  );
}
