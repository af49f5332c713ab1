import { Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './mcp-server.ts';
import type { McpOptions } from './options.ts';
import type { SessionHost } from './session-host.ts';

export interface StdioOptions {
  readonly options: McpOptions;
  readonly onFault: (error: Error) => void;
  /** Ends the service. */
  readonly stop: Promise<unknown>;
}

/**
 * Serves the client at stdin and stdout until it goes, in both eras of the protocol. Meanwhile
 * whatever else writes to stdout writes to stderr: one stray line there breaks the client.
 */
export async function serveOnStdio(
  host: SessionHost,
  { options, onFault, stop }: StdioOptions,
): Promise<void> {
  const toClient = process.stdout.write.bind(process.stdout);
  const stdout = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => void toClient(chunk, done),
  });
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const gone = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  const service = serveStdio(() => createMcpServer(host, options), {
    transport: new StdioServerTransport(process.stdin, stdout),
    onerror: onFault,
  });
  await Promise.race([gone, stop]);
  await service.close();
}
