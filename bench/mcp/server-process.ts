import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface ServerCommand {
  /** Arguments of Node. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ListedTool {
  readonly name: string;
  readonly outputSchema?: unknown;
}

export interface ToolResult {
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

const opening = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

/** An MCP server, called without a client library, which would be measured with it. */
export class ServerProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers = new Map<number, (message: { result?: unknown; error?: unknown }) => void>();
  #lastId = 0;

  /** Resolves when the server has answered `initialize`. */
  static async start(command: ServerCommand): Promise<ServerProcess> {
    const server = new ServerProcess(command);
    await server.#ask('initialize', opening);
    server.#tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return server;
  }

  private constructor({ args, cwd, env }: ServerCommand) {
    // Some variables cost Node time at its start.
    const { NODE_EXTRA_CA_CERTS: _bundle, NODE_OPTIONS: _options, ...rest } = process.env;
    this.#child = spawn(process.execPath, args, {
      cwd,
      env: { ...rest, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      this.#answers.get(message.id)?.(message);
    });
  }

  async tools(): Promise<readonly ListedTool[]> {
    const { tools } = (await this.#ask('tools/list', {})) as { tools: readonly ListedTool[] };
    return tools;
  }

  /** @throws Error when the tool fails */
  async call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult> {
    const result = (await this.#ask('tools/call', { name, arguments: args })) as ToolResult;
    if (result.isError) throw new Error(`${name}: ${shownToModel(result)}`);
    return result;
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5_000);
    await exit;
    clearTimeout(timer);
  }

  #ask(method: string, params: object): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, ({ result, error }) => {
        this.#answers.delete(id);
        if (error === undefined) resolve(result);
        else reject(new Error(`${method}: ${JSON.stringify(error)}`));
      });
      this.#tell({ jsonrpc: '2.0', id, method, params });
    });
  }

  #tell(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}

/** The part of an answer that hosts show to their models: the structured content, if there is one. */
export function shownToModel({ structuredContent, content = [] }: ToolResult): string {
  if (structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content.map(({ text = '' }) => text).join('\n');
}
