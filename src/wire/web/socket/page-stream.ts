import { encodeUtf8 } from '#base';
import { encodeWithBytes, frameKinds } from '#messages/page';
import { asVtrError, flow, type StreamedJson } from '#model';
import type { Priority, Sending } from './sending.ts';

const { wideWindowBytes, windowBytes } = flow.page;

const wide: ReadonlySet<string> = new Set(['Subscribe', 'DumpRecording']);

export interface PageStreamOptions {
  readonly channel: number;
  readonly method: string;
  readonly messages: AsyncIterator<StreamedJson>;
  readonly sending: Sending;
  /** Returns what the page may see of a message; null for nothing. */
  readonly visible: (message: StreamedJson) => StreamedJson | null;
}

/** A stream on one channel. Its next message is asked for when the page and the line take it. */
export class PageStream {
  readonly method: string;
  readonly #options: PageStreamOptions;
  readonly #priority: Priority;
  readonly #windowBytes: number;
  #unshown = 0;
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(options: PageStreamOptions) {
    this.#options = options;
    this.method = options.method;
    this.#priority = options.method === 'WatchSessions' ? 'tile' : 'stream';
    this.#windowBytes = wide.has(options.method) ? wideWindowBytes : windowBytes;
  }

  /** Sends all messages and the end. Resolves then, or after {@link close}. */
  async run(): Promise<void> {
    const { channel, sending, messages } = this.#options;
    let failure: unknown = null;
    try {
      while (!this.#isClosed) {
        await this.#opened();
        await sending.turn(this.#priority);
        if (this.#isClosed) break;
        const { done, value } = await messages.next();
        if (done) break;
        await this.#send(value);
      }
    } catch (error) {
      failure = error;
    }
    // The page may use the number again once it has closed the channel.
    if (this.#isClosed) return;
    this.#isClosed = true;
    const payload = failure === null ? new Uint8Array() : encodeUtf8(errorText(failure));
    sending.frame(frameKinds.end, channel, payload, this.#priority);
  }

  /** The page has shown more. */
  shown(bytes: number): void {
    this.#unshown = Math.max(0, this.#unshown - bytes);
    this.#wake();
  }

  /** Ends the call; nothing more is sent. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
    void this.#options.messages.return?.();
  }

  async #opened(): Promise<void> {
    while (this.#unshown >= this.#windowBytes && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #send(message: StreamedJson): Promise<void> {
    const { channel, visible, sending } = this.#options;
    const shown = visible(message);
    if (shown === null) return;
    const json = encodeUtf8(JSON.stringify(shown.json));
    const { bytes } = shown;
    const payload = bytes === null ? json : encodeWithBytes(json, bytes);
    const kind = bytes === null ? frameKinds.message : frameKinds.messageWithBytes;
    this.#unshown += payload.length;
    await sending.inParts(kind, channel, payload, this.#priority, () => this.#isClosed);
  }
}

/** Returns an error as the page gets it. */
function errorText(thrown: unknown): string {
  return JSON.stringify(errorJson(thrown));
}

export function errorJson(thrown: unknown) {
  const { code, message, details } = asVtrError(thrown);
  return { code, message, details };
}
