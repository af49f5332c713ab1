import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/client';
import { serveMcp } from '#app/mcp';
import { parseArguments } from '../../../src/app/cli/arguments/parse-arguments.ts';
import { mcp, mcpRunOf } from '../../../src/app/cli/verbs/mcp-acp.ts';
import { contextHere, type Surroundings } from '../command/vtr-here.ts';

type Message = Parameters<Transport['send']>[0];

/**
 * `vtr mcp` in this process, as the transport of a client: the start-up of the command, which other tests
 * cover, costs more than most tools.
 */
export class McpHere implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #toServer = new PassThrough();
  readonly #toClient = new PassThrough();
  readonly #serve: () => Promise<void>;
  #ended: Promise<void> = Promise.resolve();

  constructor(flags: readonly string[], around: Surroundings) {
    this.#serve = async () => {
      const context = contextHere(around, { out: () => {}, say: () => {} });
      // A verb hides the types of its flags.
      const input = parseArguments(mcp, flags) as never;
      const streams = { input: this.#toServer, output: this.#toClient };
      await serveMcp({ ...(await mcpRunOf(context, input)), streams }, new Promise(() => {}));
    };
  }

  async start(): Promise<void> {
    createInterface({ input: this.#toClient }).on('line', (line) => {
      this.onmessage?.(JSON.parse(line) as Message);
    });
    this.#ended = this.#serve().finally(() => this.onclose?.());
    this.#ended.catch((error) => this.onerror?.(error));
  }

  async send(message: Message): Promise<void> {
    if (!this.#toServer.write(`${JSON.stringify(message)}\n`)) await once(this.#toServer, 'drain');
  }

  /** Resolves when the server has ended. */
  async close(): Promise<void> {
    this.#toServer.end();
    await this.#ended;
  }
}
