/** More than this waiting to be taken, in bytes, and further replies are dropped. */
const maxPendingReplies = 4096;

/**
 * What the terminal answers to the program's questions. Replies are ASCII, made of numbers and
 * fixed words of ours only: nothing that the output chose is ever sent back as input.
 */
export class ReplyQueue {
  /** S8C1T: C1 controls as one byte, which is no UTF-8, instead of ESC and a letter, as xterm does. */
  eightBit = false;
  #pending: string[] = [];
  #length = 0;
  #dropped = 0;

  /** Replies that found no room, since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Whether a reply of so many bytes would be kept. */
  hasRoom(bytes: number): boolean {
    return this.#length + bytes <= maxPendingReplies;
  }

  /** A reply as 7-bit controls write it. */
  push(reply: string): void {
    if (!this.hasRoom(reply.length)) {
      this.#dropped++;
      return;
    }
    this.#pending.push(this.eightBit ? withC1(reply) : reply);
    this.#length += reply.length;
  }

  /** Takes what is pending; null when there is nothing. */
  take(): Uint8Array | null {
    if (this.#length === 0) return null;
    const text = this.#pending.join('');
    this.#pending = [];
    this.#length = 0;
    return Uint8Array.from(text, (char) => char.charCodeAt(0));
  }
}

/** Every C1 control is ESC and the character 0x40 below it (ECMA-35 6.3.3). */
function withC1(reply: string): string {
  return reply.replace(/\x1b([@-_])/g, (_, final: string) =>
    String.fromCharCode(final.charCodeAt(0) + 0x40),
  );
}
