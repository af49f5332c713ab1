import type { Clock } from '#base';
import { decodeCount, decodeFrame, frameKinds } from '#messages/page';
import type { PageSocket } from '../../../src/wire/web/socket/page-socket.ts';

export interface VirtualLineOptions {
  readonly bytesPerMs: number;
  /** In each direction. */
  readonly delayMs: number;
  /** Echoes are handled at multiples of this time, as by a process that has more to do; default at once. */
  readonly busyMs?: number;
}

/**
 * A line of limited speed with a buffer that is never full, as that of a slow modem, and a page at its
 * end that echoes pings at once.
 */
export class VirtualLine implements PageSocket {
  readonly unsentBytes = 0;
  /** Called when the page's echo arrives. */
  onEcho: (total: number) => void = () => {};
  /** Called when a text has arrived at the page. */
  onText: (text: string) => void = () => {};
  arrivedBytes = 0;
  readonly #clock: Clock;
  readonly #options: VirtualLineOptions;
  readonly #messages = new Map<number, number>();
  /** When the line has sent what it has. */
  #freeMs = 0;

  constructor(clock: Clock, options: VirtualLineOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  messagesOf(channel: number): number {
    return this.#messages.get(channel) ?? 0;
  }

  send(message: string | Uint8Array): void {
    const { bytesPerMs, delayMs } = this.#options;
    const nowMs = this.#clock.nowMs();
    this.#freeMs = Math.max(this.#freeMs, nowMs) + message.length / bytesPerMs;
    this.#clock.schedule(this.#freeMs + delayMs - nowMs, () => this.#arrive(message));
  }

  onSent(): void {}
  pause(): void {}
  resume(): void {}
  close(): void {}

  #arrive(message: string | Uint8Array): void {
    this.arrivedBytes += message.length;
    if (typeof message === 'string') {
      this.onText(message);
      return;
    }
    const frame = decodeFrame(message);
    const { kind, channel } = frame;
    if (kind === frameKinds.ping) {
      const total = decodeCount(frame);
      const { delayMs, busyMs = 0 } = this.#options;
      const atMs = this.#clock.nowMs() + delayMs;
      const lateMs = busyMs === 0 ? 0 : Math.ceil(atMs / busyMs) * busyMs - atMs;
      this.#clock.schedule(delayMs + lateMs, () => this.onEcho(total));
    } else if (kind === frameKinds.message) {
      this.#messages.set(channel, this.messagesOf(channel) + 1);
    }
  }
}
