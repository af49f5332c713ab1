import { decodeUtf8 } from '#base';
import { decodeFrame, decodeWithBytes, encodeCount, encodeFrame, frameKinds } from '#messages/page';
import type { PageSocket } from '../../../src/wire/web/socket/page-socket.ts';

/** A message of a stream, as a page joins it. */
export interface Shown {
  readonly channel: number;
  readonly kind: number;
  readonly json: unknown;
  readonly bytes: Uint8Array | null;
}

/** The side of a page: it remembers what arrives, and echoes pings if it is connected. */
export class RecordingPage implements PageSocket {
  unsentBytes = 0;
  isPaused = false;
  readonly texts: unknown[] = [];
  readonly shown: Shown[] = [];
  closedWith: readonly [number, string] | null = null;
  /** Called with what the page answers by itself. */
  onAnswer: (message: Uint8Array) => void = () => {};
  readonly #parts = new Map<number, Uint8Array[]>();
  readonly #listeners: (() => void)[] = [];

  send(message: string | Uint8Array): void {
    if (typeof message === 'string') this.texts.push(JSON.parse(message));
    else this.#take(message);
  }

  onSent(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** All that was not sent has been sent. */
  drain(): void {
    this.unsentBytes = 0;
    for (const each of this.#listeners) each();
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  close(code: number, reason: string): void {
    this.closedWith ??= [code, reason];
  }

  /** Returns the messages of a channel. */
  of(channel: number): Shown[] {
    return this.shown.filter((each) => each.channel === channel);
  }

  #take(frame: Uint8Array): void {
    const { kind, channel, payload } = decodeFrame(frame);
    if (kind === frameKinds.ping) {
      const echo = encodeFrame(frameKinds.echo, 0, payload);
      queueMicrotask(() => this.onAnswer(echo));
      return;
    }
    const parts = [...(this.#parts.get(channel) ?? []), payload];
    if (kind === frameKinds.part) {
      this.#parts.set(channel, parts);
      return;
    }
    this.#parts.delete(channel);
    this.shown.push({ channel, kind, ...decoded(kind, Buffer.concat(parts)) });
  }
}

function decoded(kind: number, payload: Uint8Array): Pick<Shown, 'json' | 'bytes'> {
  const { json, bytes } =
    kind === frameKinds.messageWithBytes
      ? decodeWithBytes(payload)
      : { json: payload, bytes: null };
  const text = decodeUtf8(json);
  return { json: text === '' ? null : JSON.parse(text), bytes };
}

/** Returns the message with which a page says that it has shown bytes of a channel. */
export const credit = (channel: number, bytes: number): Uint8Array =>
  encodeCount(frameKinds.credit, channel, bytes);
