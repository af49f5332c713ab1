import { PassThrough } from 'node:stream';
import type { Coordinator } from '#model';
import { AcpProxy, type AcpProxyOptions } from '../../../src/app/acp/acp-proxy.ts';
import { FrameWriter } from '../../../src/app/acp/frames.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests check the answers
type Any = any;

/** One side of the proxy, in bytes. */
export class WireEnd {
  /** The bytes that it sends. */
  readonly says = new PassThrough();
  /** The bytes for it, which it reads while the stream flows. */
  readonly hears = new PassThrough();
  #heard: Buffer[] = [];
  #changed = (): void => {};

  listen(): void {
    this.hears.on('data', (chunk: Buffer) => {
      this.#heard.push(chunk);
      this.#changed();
    });
  }

  /** Sends a message as a frame. */
  tell(message: object): void {
    this.says.write(`${JSON.stringify(message)}\n`);
  }

  get heard(): Buffer {
    this.#heard = [Buffer.concat(this.#heard)];
    return this.#heard[0] as Buffer;
  }

  get messages(): Any[] {
    const lines = this.heard.toString().split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line));
  }

  /** Resolves once it has received a matching message. */
  async hearsMessage(isMeant: (message: Any) => boolean): Promise<Any> {
    for (;;) {
      const message = this.messages.find(isMeant);
      if (message !== undefined) return message;
      await this.change();
    }
  }

  answerTo(id: unknown): Promise<Any> {
    return this.hearsMessage((message) => message.id === id && message.method === undefined);
  }

  /** Resolves once it has received this many bytes. */
  async hearsBytes(count: number): Promise<Buffer> {
    while (this.heard.length < count) await this.change();
    return this.heard;
  }

  change(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve;
    });
  }
}

/** A proxy between two ends that are a test. */
export class AcpWire {
  readonly editor = new WireEnd();
  readonly agent = new WireEnd();
  readonly logged: string[] = [];
  readonly proxy: AcpProxy;
  readonly passing: Promise<unknown>;

  constructor(coordinator: Coordinator, options: Partial<AcpProxyOptions> = {}) {
    const peer = (end: WireEnd) => ({ input: end.says, output: new FrameWriter(end.hears) });
    this.proxy = new AcpProxy({
      coordinator,
      terminals: {},
      passthrough: false,
      server: null,
      agentName: 'an agent',
      keepMs: 60_000,
      log: (_level, line) => this.logged.push(line),
      ...options,
    });
    const passing = this.proxy.connect(peer(this.editor), peer(this.agent));
    this.passing = Promise.all(Object.values(passing));
  }

  listen(): this {
    this.editor.listen();
    this.agent.listen();
    return this;
  }

  /** Ends the output of both ends. */
  async end(): Promise<void> {
    this.editor.says.end();
    this.agent.says.end();
    await this.passing;
    await this.proxy.close();
  }
}
