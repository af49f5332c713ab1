import { encodeUtf8, Utf8Decoder } from '#base';
import { eraseOutput, type JsonConnection, type JsonMessage, type StreamedJson } from '#model';
import type { PageSocket } from '../socket/page-socket.ts';
import { VisitorView } from '../socket/visitor-view.ts';
import {
  endMessage,
  exitMessage,
  initMessage,
  magic,
  outputMessage,
  resizeMessage,
} from './frames.ts';

/** While more than this is not sent, in bytes, nothing is read; the session's own queue is bounded. */
const maxUnsentBytes = 256 * 1024;

/** Players show the reason of such a code, and do not connect again. */
const alisEnded = 4000;

/** Sends a session to one player. A player that is too slow gets the screen as it is then. */
export class AlisStream {
  readonly #socket: PageSocket;
  readonly #calls: JsonConnection;
  readonly #events: AsyncIterator<StreamedJson>;
  readonly #view: VisitorView;
  /** A player decodes each message by itself: characters are not cut. */
  #decoder = new Utf8Decoder();
  #id = 0;
  #lastMs = 0;
  #isEnded = false;
  #wake: () => void = () => {};

  /** @param sessionId of a session that exists */
  constructor(socket: PageSocket, calls: JsonConnection, sessionId: string, redact: boolean) {
    this.#socket = socket;
    this.#calls = calls;
    this.#view = new VisitorView(calls, sessionId, 'player');
    const request = { sessionId, includeEvents: true, scrollbackLines: 0, redact };
    this.#events = calls.stream('Subscribe', request);
    socket.onSent(() => this.#wake());
  }

  /** Sends until the session ends or the player leaves. */
  async run(): Promise<void> {
    this.#socket.send(magic);
    try {
      while (!this.#isEnded) {
        await this.#drained();
        const { done, value } = await this.#events.next();
        if (done || this.#isEnded) break;
        this.#send(value);
      }
    } catch {
      // The session was removed, or the daemon is restarted: the player connects again.
      if (!this.#isEnded) this.#socket.close(1012, 'try again');
      return;
    }
    if (this.#isEnded) return;
    this.#socket.send(endMessage);
    this.#socket.close(alisEnded, 'the session has ended');
  }

  /** The player has left. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#wake();
    void this.#events.return?.();
    this.#view.end();
    this.#calls.close();
  }

  async #drained(): Promise<void> {
    while (this.#socket.unsentBytes > maxUnsentBytes && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #send({ json, bytes }: StreamedJson): void {
    const { state, output, resize, sessionExited, at } = json as Record<string, JsonMessage>;
    const atMs = Date.parse(String(at));
    if (state !== undefined) {
      this.#decoder = new Utf8Decoder();
      this.#id = 0;
      this.#lastMs = atMs;
      this.#socket.send(initMessage({ ...sizeOf(state), init: this.#whole(bytes) }));
    } else if (output !== undefined) {
      const whole = this.#whole(bytes);
      if (whole.length > 0) this.#event(atMs, (id, us) => outputMessage(id, us, whole));
    } else if (resize !== undefined) {
      const { erasedRow: row, erasedCol: col } = resize;
      if (row !== undefined) {
        const erase = encodeUtf8(eraseOutput({ row: Number(row), col: Number(col) }));
        this.#event(atMs, (id, us) => outputMessage(id, us, erase));
      }
      this.#event(atMs, (id, us) => resizeMessage(id, us, sizeOf(resize)));
    } else if (sessionExited !== undefined) {
      const status = Number(sessionExited['exitCode'] ?? 0);
      this.#event(atMs, (id, us) => exitMessage(id, us, status));
    }
  }

  #event(atMs: number, encode: (id: number, relativeUs: number) => Uint8Array): void {
    const relativeUs = Math.max(0, Math.round((atMs - this.#lastMs) * 1000));
    this.#lastMs = Math.max(this.#lastMs, atMs);
    this.#socket.send(encode(++this.#id, relativeUs));
  }

  /** Returns the characters that are complete. */
  #whole(bytes: Uint8Array | null): Uint8Array {
    return encodeUtf8(this.#decoder.push(bytes ?? new Uint8Array()));
  }
}

const sizeOf = (json: JsonMessage) => ({
  cols: Number(json['cols'] ?? 0),
  rows: Number(json['rows'] ?? 0),
});
