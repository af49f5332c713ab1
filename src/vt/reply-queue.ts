/** More than this waiting to be taken, in bytes, and further replies are dropped. */
const maxPendingReplies = 4096;

const shortestReply = 4;

/**
 * What the terminal answers to the program's questions. Replies are ASCII, made of numbers and
 * fixed words of ours only: nothing that the output chose is ever sent back as input.
 */
export class ReplyQueue {
  #pending: string[] = [];
  #length = 0;
  #dropped = 0;

  /** Replies that found no room, since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Nothing finds room any more. */
  get isFull(): boolean {
    return this.#length > maxPendingReplies - shortestReply;
  }

  push(reply: string): void {
    if (this.#length + reply.length > maxPendingReplies) {
      this.#dropped++;
      return;
    }
    this.#pending.push(reply);
    this.#length += reply.length;
  }

  /** Takes what is pending; null when there is nothing. */
  take(): Uint8Array | null {
    if (this.#length === 0) return null;
    const text = this.#pending.join('');
    this.#pending = [];
    this.#length = 0;
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  }
}
