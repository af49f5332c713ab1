import { Client, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { type Place, vtrFile } from '../command/vtr-command.ts';
import { McpHere } from './mcp-here.ts';

/** The two versions of the protocol that hosts use. */
export const eras = ['2025-11-25', '2026-07-28'] as const;

export type Era = (typeof eras)[number];

interface Start {
  readonly era?: Era;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

export function clientOf(era: Era, name = 'test'): Client {
  const mode = era === '2025-11-25' ? 'legacy' : { pin: era };
  return new Client({ name, version: '1' }, { versionNegotiation: { mode } });
}

/** Calls of the tools. */
export class McpCalls {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  /** The answer of a tool, which must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the answers
  async call(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<any> {
    const result = await this.client.callTool({
      name: `terminal__${tool}`,
      arguments: { ...args },
    });
    if (result.isError) throw new Error(textOf(result));
    return result.structuredContent;
  }

  /** The text of the error of a tool, which must fail. */
  async failure(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const result = await this.client.callTool({
      name: `terminal__${tool}`,
      arguments: { ...args },
    });
    if (!result.isError) throw new Error(`it has succeeded: ${textOf(result)}`);
    return textOf(result);
  }

  /** Starts a shell, waits for its prompt and returns the id of the session. */
  async shell(args: Readonly<Record<string, unknown>> = {}): Promise<string> {
    return (await this.call('create_session', { program: 'sh', ...args })).session_id;
  }
}

/** A host with its server, which ends with the test. */
export class McpHost extends McpCalls {
  /** The process of the server, if it has one of its own. */
  pid: number | null = null;

  /** Starts `vtr mcp` in this process. */
  static start(place: Place, { era, env = {}, flags = [] }: Start = {}): Promise<McpHost> {
    const around = { ...place.surroundings, env: { ...place.env, PS1: '$ ', ...env } };
    return McpHost.#connect(new McpHere(flags, around), era);
  }

  /** Starts it in a process of its own. */
  static async process(place: Place, { era, env = {}, flags = [] }: Start = {}): Promise<McpHost> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [vtrFile, 'mcp', ...flags],
      env: { ...place.env, PS1: '$ ', ...env },
      cwd: place.directory,
      stderr: 'pipe',
    });
    const host = await McpHost.#connect(transport, era);
    host.pid = transport.pid;
    return host;
  }

  static async #connect(transport: Transport, era: Era = '2026-07-28'): Promise<McpHost> {
    const host = new McpHost(clientOf(era));
    onTestFinished(() => host.client.close());
    await host.client.connect(transport);
    return host;
  }
}

const textOf = ({ content }: { readonly content: unknown }): string =>
  (content as readonly { readonly text?: string }[])[0]?.text ?? '';
