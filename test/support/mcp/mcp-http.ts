import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { type Place, vtrFile } from '../command/vtr-command.ts';
import { clientOf, type Era, McpCalls } from './mcp-client.ts';

interface Start {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** An HTTP server with its own home, which ends with the test. */
export class McpHttpServer {
  readonly child: ChildProcess;
  /** Its stderr. */
  said = '';
  /** Its stdout. */
  readonly lines: string[] = [];

  private constructor(place: Place, { flags = [], env = {} }: Start) {
    this.child = spawn(process.execPath, [vtrFile, 'mcp', '--http', '--json', ...flags], {
      cwd: place.directory,
      env: { ...place.env, PS1: '$ ', ...env },
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.said += text;
    });
  }

  static async start(place: Place, start: Start = {}): Promise<McpHttpServer> {
    const server = new McpHttpServer(place, start);
    const lines = createInterface({ input: server.child.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => server.lines.push(line));
    await Promise.race([once(lines, 'line'), once(server.child, 'close')]);
    if (server.lines.length === 0) throw new Error(`it has ended: ${server.said}`);
    return server;
  }

  get url(): URL {
    return new URL(JSON.parse(this.lines[0] ?? '').url);
  }

  get tokenFile(): string {
    return JSON.parse(this.lines[0] ?? '').token_file;
  }

  /** The address that the server printed. */
  get token(): string {
    return /the token is (\S+),/.exec(this.said)?.[1] ?? '';
  }

  async connect(era: Era, { name = 'test', token = this.token } = {}): Promise<McpCalls> {
    const client = clientOf(era, name);
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(this.url, { requestInit: { headers } }));
    onTestFinished(() => client.close());
    return new McpCalls(client);
  }

  /** Sends a request without a client, as a browser or another program may. */
  ask(
    headers: Readonly<Record<string, string>>,
    { method = 'POST', path = '/mcp', body = '' } = {},
  ): Promise<Answer> {
    const { hostname, port } = this.url;
    return new Promise((resolve, reject) => {
      const outgoing = request({ hostname, port, path, method, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}
