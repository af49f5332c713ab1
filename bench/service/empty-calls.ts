import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { emptyService } from './empty-service.ts';

const program = fileURLToPath(new URL('./empty-server.js', import.meta.url));

/** Calls of a server in its own process, on a Unix socket, whose only method does nothing. */
export class EmptyCalls {
  readonly #server: ChildProcess;
  readonly #directory: string;
  readonly #call: () => Promise<unknown>;

  static async start(): Promise<EmptyCalls> {
    const directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
    const socket = join(directory, 'empty.sock');
    const server = fork(program, [socket]);
    await once(server, 'message');
    return new EmptyCalls(server, directory, socket);
  }

  private constructor(server: ChildProcess, directory: string, socket: string) {
    this.#server = server;
    this.#directory = directory;
    const nodeOptions = { createConnection: () => connect(socket) };
    const transport = createConnectTransport({
      httpVersion: '2',
      baseUrl: 'http://localhost',
      nodeOptions,
    });
    const client = createClient(emptyService, transport);
    this.#call = () => client.nothing({});
  }

  call(): Promise<unknown> {
    return this.#call();
  }

  async stop(): Promise<void> {
    const exit = once(this.#server, 'exit');
    this.#server.disconnect();
    await exit;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
