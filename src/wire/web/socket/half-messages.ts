import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** What all pages may have sent of messages that are not complete, in bytes. */
const maxHalfBytes = 16 * 1024 * 1024;
/** A message must gain so much, in bytes, between two checks, or be complete. */
const leastGainBytes = 1024;
/** The head of a short frame with a mask (RFC 6455, 5.2). */
const shortHeadBytes = 6;
/** RFC 6455, 7.4.1, and the IANA registry: try again later. */
const tryAgainLater = 1013;

/** What the pages of a server have sent of messages that are not complete. */
export class HalfMessages {
  readonly #all = new Set<HalfMessage>();
  #bytes = 0;

  add(message: HalfMessage): void {
    this.#all.add(message);
  }

  delete(message: HalfMessage): void {
    this.#all.delete(message);
  }

  /** Refuses the largest one if there are too many bytes: others may be complete in a moment. */
  grown(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= maxHalfBytes) return;
    let largest: HalfMessage | null = null;
    for (const each of this.#all) if (each.bytes > (largest?.bytes ?? 0)) largest = each;
    largest?.refuse();
  }
}

/** The message of a page that is being received. */
export class HalfMessage {
  readonly #all: HalfMessages;
  readonly #onRefused: (code: number, reason: string) => void;
  #bytes = 0;
  /** At the last check. */
  #checkedBytes = 0;
  #isOver = false;

  /**
   * @param below the connection under the page
   * @param onRefused called once, with a code of RFC 6455, if the page must be closed
   */
  constructor(
    page: WebSocket,
    below: Duplex,
    all: HalfMessages,
    onRefused: (code: number, reason: string) => void,
  ) {
    this.#all = all;
    this.#onRefused = onRefused;
    all.add(this);
    // Before the page itself reads it, and tells what is complete.
    below.prependListener('data', (chunk: Buffer) => this.#set(this.#bytes + chunk.length));
    page.prependListener('message', () => {
      this.#checkedBytes = 0;
      this.#set(0);
    });
    const ignore = (data: Buffer) =>
      this.#set(Math.max(0, this.#bytes - data.length - shortHeadBytes));
    page.on('pong', ignore).on('ping', ignore);
  }

  /** Received so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether too little has arrived since the last check. */
  isStuck(): boolean {
    const gained = this.#bytes - this.#checkedBytes;
    const isStuck = this.#checkedBytes > 0 && gained < leastGainBytes;
    this.#checkedBytes = this.#bytes;
    return isStuck;
  }

  /** Closes its page, which is not counted any more. */
  refuse(): void {
    this.end();
    this.#onRefused(tryAgainLater, 'too many messages are half sent');
  }

  end(): void {
    this.#set(0);
    this.#isOver = true;
    this.#all.delete(this);
  }

  #set(bytes: number): void {
    if (this.#isOver) return;
    const grown = bytes - this.#bytes;
    this.#bytes = bytes;
    this.#all.grown(grown);
  }
}
