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
  bytes = 0;
}

/** The message of a page that is being received. */
export class HalfMessage {
  readonly #all: HalfMessages;
  #bytes = 0;
  /** At the last check. */
  #checkedBytes = 0;

  /** @param below the connection under the page */
  constructor(page: WebSocket, below: Duplex, all: HalfMessages) {
    this.#all = all;
    // Before the page itself reads it, and tells what is complete.
    below.prependListener('data', (chunk: Buffer) => {
      this.#set(this.#bytes + chunk.length);
      if (all.bytes > maxHalfBytes) page.close(tryAgainLater, 'too many messages are half sent');
    });
    page.prependListener('message', () => {
      this.#checkedBytes = 0;
      this.#set(0);
    });
    const ignore = (data: Buffer) =>
      this.#set(Math.max(0, this.#bytes - data.length - shortHeadBytes));
    page.on('pong', ignore).on('ping', ignore);
  }

  /** Whether too little has arrived since the last check. */
  isStuck(): boolean {
    const gained = this.#bytes - this.#checkedBytes;
    const isStuck = this.#checkedBytes > 0 && gained < leastGainBytes;
    this.#checkedBytes = this.#bytes;
    return isStuck;
  }

  end(): void {
    this.#set(0);
  }

  #set(bytes: number): void {
    this.#all.bytes += bytes - this.#bytes;
    this.#bytes = bytes;
  }
}
