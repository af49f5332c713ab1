import { ignored } from '#base';
import type { OutputChunk } from '../port.ts';
import { decodeJson, encodeFields, encodeJson, Fields, type Frame } from './frames.ts';
import type { HostConnection } from './host-connection.ts';

/** The requests about one session whose answers are values. */
export class SessionCalls {
  readonly #connection: HostConnection;
  readonly #session: number;

  constructor(connection: HostConnection, session: number) {
    this.#connection = connection;
    this.#session = session;
  }

  /** @throws VtrError the host's; UNAVAILABLE if the connection ends, or the host does not respond */
  async ask(question: object): Promise<unknown> {
    this.#connection.checkResponds();
    return this.#ask(question);
  }

  /** If the host does not respond now, the request takes effect later: it must not be lost. */
  async tell(ask: 'pause' | 'resume' | 'suspend' | 'continue'): Promise<void> {
    await ignored(this.#ask({ ask }), 'the request takes effect later');
  }

  #ask(question: object): Promise<unknown> {
    const payload = encodeJson(question);
    const decode = (frame: Frame) => decodeJson(frame.payload)['value'];
    return this.#connection.request('ask', this.#session, [payload], decode).answer;
  }

  /** Returns `otherwise` if the host does not answer. */
  async askOr<T>(otherwise: T, question: object): Promise<T> {
    return this.ask(question).then(
      (value) => value as T,
      () => otherwise,
    );
  }

  /** Returns the output between two offsets that the host keeps; none if the host is gone. */
  async fetch(from: number, to: number): Promise<readonly OutputChunk[]> {
    const chunks: OutputChunk[] = [];
    for (let at = from; at < to; ) {
      const payload = encodeFields({ offset: at }, { offset: to });
      const call = this.#connection.request('fetch', this.#session, [payload], (frame) => {
        const fields = new Fields(frame.payload);
        return { offset: fields.offset(), bytes: new Uint8Array(fields.rest()) };
      });
      const chunk = await call.answer.catch(() => null);
      if (chunk === null || chunk.bytes.length === 0) break;
      chunks.push(chunk);
      at = chunk.offset + chunk.bytes.length;
    }
    return chunks;
  }
}

/** Decodes the answer to a resize: the step itself, unless the session is paused. */
export function resizedAt({ type, payload }: Frame): number {
  return type === 'resized'
    ? new Fields(payload).offset()
    : (decodeJson(payload)['value'] as number);
}
