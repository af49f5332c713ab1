import { PassThrough, Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { type MountedTerminals, type MountOptions, mountTerminals } from '#wire/acp';

/** An answer of the client. */
export interface RawAnswer {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the answers
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** An agent whose bytes a test writes, and a client of the SDK with terminals. */
export class RawAgent {
  readonly mounted: MountedTerminals;
  readonly #toClient = new PassThrough();
  readonly #fromClient = new PassThrough();
  readonly #connection: acp.ClientConnection;
  readonly #answers: RawAnswer[] = [];
  #arrived = () => {};
  #rest = '';

  constructor(options: MountOptions) {
    const app = acp.client({ name: 'editor' });
    this.mounted = mountTerminals(app, options);
    this.#fromClient.setEncoding('utf8').on('data', (text: string) => this.#onText(text));
    this.#connection = app.connect(
      acp.ndJsonStream(
        Writable.toWeb(this.#fromClient),
        Readable.toWeb(this.#toClient) as ReadableStream<Uint8Array>,
      ),
    );
  }

  /** Sends bytes unchanged. */
  write(text: string | Uint8Array): void {
    this.#toClient.write(text);
  }

  request(id: string | number, method: string, params: object): void {
    this.write(frame(id, method, params));
  }

  /** The next answers, in the order of their arrival. */
  async next(count = 1): Promise<readonly RawAnswer[]> {
    while (this.#answers.length < count) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
    return this.#answers.splice(0, count);
  }

  /** The answer to a request. */
  async answer(id: string | number, method: string, params: object): Promise<RawAnswer> {
    this.request(id, method, params);
    const [answer] = await this.next();
    if (answer?.id !== id) throw new Error(`another answer: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Answers that no call has read. */
  get waiting(): readonly RawAnswer[] {
    return this.#answers;
  }

  /** Ends the agent, in the middle of a frame too. Resolves when none of its programs runs. */
  async die(): Promise<void> {
    this.#toClient.end();
    await this.#connection.closed;
    await this.mounted.ended();
  }

  #onText(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    this.#answers.push(...lines.map((line) => JSON.parse(line)));
    this.#arrived();
  }
}

/** A request on the wire; the default of `sessionId` is `conversation`. */
export function frame(id: string | number, method: string, params: object): string {
  const all = { sessionId: 'conversation', ...params };
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params: all })}\n`;
}
