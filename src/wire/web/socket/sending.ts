import { type Clock, Queue } from '#base';
import { encodeCount, encodeFrame, type FrameKind, frameKinds } from '#messages/page';
import { flow } from '#model';
import { Line } from './line.ts';
import type { PageSocket } from './page-socket.ts';

const { maxUnsentBytes, streamPartBytes, leastTilePartBytes } = flow.page;

/** The kinds of streams: tiles wait for all others. */
export type Priority = 'tile' | 'stream';

/**
 * Sends the messages of a connection. Answers are sent at once. Streams take turns, part by part, and
 * wait until the line takes more; tiles until little of them is under way.
 */
export class Sending {
  readonly #socket: PageSocket;
  readonly #line: Line;
  readonly #waiting = { tile: new Queue<() => void>(), stream: new Queue<() => void>() };
  #isEnded = false;

  constructor(socket: PageSocket, clock: Clock) {
    this.#socket = socket;
    this.#line = new Line(clock);
    socket.onSent(() => this.#wake());
  }

  /** Sends a text at once. */
  text(text: string): void {
    if (this.#isEnded) return;
    this.#socket.send(text, true);
    this.#line.sent(Buffer.byteLength(text), false);
  }

  /** Sends a message at once. */
  frame(kind: FrameKind, channel: number, payload: Uint8Array, priority: Priority): void {
    if (this.#isEnded) return;
    const isTile = priority === 'tile';
    this.#socket.send(encodeFrame(kind, channel, payload), !isTile);
    this.#line.sent(payload.length, isTile);
    this.#ping();
  }

  /**
   * Sends a payload in parts, each when the line takes it.
   *
   * @param isEnded whether the rest has become useless
   */
  async inParts(
    kind: FrameKind,
    channel: number,
    payload: Uint8Array,
    priority: Priority,
    isEnded: () => boolean,
  ): Promise<void> {
    for (let at = 0; ; ) {
      await this.turn(priority);
      if (isEnded()) return;
      const end = Math.min(payload.length, at + this.#partBytes(priority));
      const isLast = end === payload.length;
      this.frame(isLast ? kind : frameKinds.part, channel, payload.subarray(at, end), priority);
      at = end;
      if (isLast) return;
    }
  }

  /** Resolves when a stream may send, or the connection has ended. Those that wait take turns. */
  async turn(priority: Priority): Promise<void> {
    while (!this.#isEnded && !this.#takes(priority)) {
      this.#ping();
      await new Promise<void>((resolve) => this.#waiting[priority].push(resolve));
    }
  }

  /** The page has echoed a ping. */
  echoed(total: number): void {
    this.#line.echoed(total);
    this.#wake();
    this.#ping();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  #partBytes(priority: Priority): number {
    if (priority === 'stream') return streamPartBytes;
    return Math.max(leastTilePartBytes, this.#line.tileRoom);
  }

  #takes(priority: Priority): boolean {
    if (this.#socket.unsentBytes > maxUnsentBytes) return false;
    if (priority === 'stream') return this.#line.takesStream;
    return this.#line.tileRoom > 0;
  }

  /** Each looks again whether it may send, in the order in which they began to wait. */
  #wake(): void {
    for (const priority of ['stream', 'tile'] as const) {
      if (!this.#isEnded && !this.#takes(priority)) continue;
      const queue = this.#waiting[priority];
      for (let left = queue.length; left > 0; left--) queue.shift()?.();
    }
  }

  #ping(): void {
    const total = this.#line.ping();
    if (total === null) return;
    this.#socket.send(encodeCount(frameKinds.ping, 0, total));
  }
}
