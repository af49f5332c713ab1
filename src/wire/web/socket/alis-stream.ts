import { constants } from 'node:os';
import { encodeLeb128, encodeUtf8, ignored, Utf8Decoder } from '#base';
import {
  type Client,
  callAs,
  type ExitStatus,
  eraseOutput,
  type Subscription,
  type SubscriptionEvent,
} from '#model';
import { VisitorView, type WebSessions } from '../scope.ts';
import type { PageSocket } from './page-socket.ts';

/** While more than this is not sent, in bytes, nothing is read; the session's own queue is bounded. */
const maxUnsentBytes = 256 * 1024;

/** Players show the reason of such a code, and do not connect again. */
const alisEnded = 4000;

/** Sends a session to one player. A player that is too slow gets the screen as it is then. */
export class AlisStream {
  readonly #socket: PageSocket;
  readonly #events: Promise<Subscription>;
  readonly #view: VisitorView;
  /** A player decodes each message by itself: characters are not cut. */
  #decoder = new Utf8Decoder();
  #id = 0;
  #lastMs = 0;
  #isEnded = false;
  #wake: () => void = () => {};

  /** @param id of a session that exists */
  constructor(
    socket: PageSocket,
    sessions: WebSessions,
    {
      id,
      redact,
      client,
    }: { readonly id: string; readonly redact: boolean; readonly client: Client },
  ) {
    this.#socket = socket;
    this.#view = new VisitorView(sessions, id, 'player', client);
    const request = { scrollbackLines: 0, redact };
    this.#events = callAs(client, () => sessions.subscribe({ name: '', id }, request));
    ignored(this.#events, 'the reader of the events gets the error');
    socket.onSent(() => this.#wake());
  }

  /** Sends until the session ends or the player leaves. */
  async run(): Promise<void> {
    this.#socket.send(magic);
    try {
      const events = (await this.#events)[Symbol.asyncIterator]();
      while (!this.#isEnded) {
        await this.#drained();
        const { done, value } = await events.next();
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
    ignored(
      this.#events.then((events) => events.dispose()),
      'a subscription that failed need not be ended',
    );
    this.#view.end();
  }

  async #drained(): Promise<void> {
    while (this.#socket.unsentBytes > maxUnsentBytes && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #send(event: SubscriptionEvent): void {
    const { atMs } = event;
    if (event.type === 'snapshot') {
      this.#decoder = new Utf8Decoder();
      this.#id = 0;
      this.#lastMs = atMs;
      this.#socket.send(initMessage({ ...event.size, init: this.#whole(event.dump) }));
    } else if (event.type === 'output') {
      const whole = this.#whole(event.bytes);
      if (whole.length > 0) this.#event(atMs, (id, us) => outputMessage(id, us, whole));
    } else if (event.type === 'resize') {
      const { erasedFrom, size } = event;
      if (erasedFrom !== undefined) {
        const erase = encodeUtf8(eraseOutput(erasedFrom));
        this.#event(atMs, (id, us) => outputMessage(id, us, erase));
      }
      this.#event(atMs, (id, us) => resizeMessage(id, us, size));
    } else if (event.type === 'exit') {
      const status = exitCodeOf(event.status);
      this.#event(atMs, (id, us) => exitMessage(id, us, status));
    }
  }

  #event(atMs: number, encode: (id: number, relativeUs: number) => Uint8Array): void {
    const relativeUs = Math.max(0, Math.round((atMs - this.#lastMs) * 1000));
    this.#lastMs = Math.max(this.#lastMs, atMs);
    this.#socket.send(encode(++this.#id, relativeUs));
  }

  /** Returns the characters that are complete. */
  #whole(bytes: Uint8Array): Uint8Array {
    return encodeUtf8(this.#decoder.push(bytes));
  }
}

/** Returns one number for both, as shells do: 128 + n for signal n. */
function exitCodeOf({ code, signal }: ExitStatus): number {
  const numbers: Readonly<Record<string, number | undefined>> = constants.signals;
  return code ?? 128 + (numbers[signal ?? ''] ?? 0);
}

/**
 * Messages of the Asciinema Live Stream protocol, version 1. Source: docs.asciinema.org/manual/alis/v1.
 * Numbers are unsigned LEB128, times microseconds.
 */

/** The first message. */
export const magic: Uint8Array = encodeUtf8('ALiS\x01');

/** No more events until the next {@link initMessage}. */
export const endMessage: Uint8Array = Uint8Array.of(0x04);

export interface Init {
  readonly cols: number;
  readonly rows: number;
  /** What makes the screen. */
  readonly init: Uint8Array;
}

/** Begins, or begins again at another state. */
export const initMessage = ({ cols, rows, init }: Init): Uint8Array =>
  // The last event is 0, the time 0, and the theme the player's.
  message(0x01, [0, 0, cols, rows, 0, init.length], init);

/** @param relativeUs since the event before */
export const outputMessage = (id: number, relativeUs: number, bytes: Uint8Array): Uint8Array =>
  message(typeOf('o'), [id, relativeUs, bytes.length], bytes);

export const resizeMessage = (
  id: number,
  relativeUs: number,
  { cols, rows }: { readonly cols: number; readonly rows: number },
): Uint8Array => message(typeOf('r'), [id, relativeUs, cols, rows]);

export const exitMessage = (id: number, relativeUs: number, status: number): Uint8Array =>
  message(typeOf('x'), [id, relativeUs, status]);

const none = new Uint8Array();

const typeOf = (letter: string): number => letter.charCodeAt(0);

function message(type: number, numbers: readonly number[], bytes: Uint8Array = none): Uint8Array {
  const head = [Uint8Array.of(type), ...numbers.map(encodeLeb128)];
  return Buffer.concat([...head, bytes]);
}
