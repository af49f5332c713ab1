import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { root } from '../../../scripts/root.mjs';
import { Place, vtrFile } from '../command/vtr-command.ts';
import { clientOf, type Era } from './mcp-client.ts';

/** The built command. */
export const termcpFile = join(root, 'dist/termcp.cjs');

/** The number of reads of a second without output after which the program is taken to be quiet. */
const maxEmptyReads = 30;

interface Start {
  readonly place?: Place;
  readonly era?: Era;
  readonly env?: Readonly<Record<string, string>>;
  /** A program in PATH; default: the built command. */
  readonly command?: string;
}

/** A host with termcp as its server and a home for both, which end with the test. */
export class TermcpHost {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  /** The stderr of the server. */
  said = '';

  private constructor(words: readonly string[], place: Place, start: Start, file: string) {
    const { era = '2025-11-25', env = {}, command } = start;
    this.client = clientOf(era);
    this.transport = new StdioClientTransport({
      command: command ?? process.execPath,
      args: command === undefined ? [file, ...words] : [...words],
      env: { ...place.env, PS1: '$ ', ...env },
      cwd: place.directory,
      stderr: 'pipe',
    });
    this.transport.stderr?.on('data', (chunk: Buffer) => {
      this.said += chunk.toString();
    });
  }

  static start(words: readonly string[], start: Start = {}): Promise<TermcpHost> {
    return TermcpHost.#start(words, start, termcpFile);
  }

  /** The same server, started by the other command. */
  static byVtr(words: readonly string[]): Promise<TermcpHost> {
    return TermcpHost.#start(['mcp', '--toolset', 'termcp', ...words], {}, vtrFile);
  }

  static async #start(words: readonly string[], start: Start, file: string): Promise<TermcpHost> {
    const host = new TermcpHost(words, start.place ?? new Place(), start, file);
    onTestFinished(() => host.client.close());
    await host.client.connect(host.transport);
    return host;
  }

  /** The answer of a tool, which must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the answers
  async ok(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<any> {
    const { isError, content, structuredContent } = await this.#call(name, args);
    if (isError) throw new Error(JSON.stringify(content));
    return structuredContent;
  }

  async failure(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
    const { isError, content } = await this.#call(name, args);
    return `${isError} ${JSON.stringify(content)}`;
  }

  /** Reads until the output contains the text. @throws Error when the program is quiet first */
  async until(text: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
    let read = '';
    for (let empty = 0; !read.includes(text); ) {
      const { output } = await this.ok('read_output', args);
      read += output;
      empty = output === '' ? empty + 1 : 0;
      if (empty === maxEmptyReads) throw new Error(`${text} does not come after:\n${read}`);
    }
    return read;
  }

  /** Types a line, and reads until the output contains the text. */
  async types(line: string, text: string): Promise<string> {
    await this.ok('write_stdin', { text: `${line}\n` });
    return this.until(text);
  }

  #call(name: string, args: Readonly<Record<string, unknown>>) {
    return this.client.callTool({ name, arguments: { session_id: 'default', ...args } });
  }
}
