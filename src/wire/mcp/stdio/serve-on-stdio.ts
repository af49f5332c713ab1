import { type Readable, Writable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Caller } from '../caller.ts';
import { createMcpServer } from '../mcp-server.ts';
import { ResourceWatch } from '../resources/resource-watch.ts';
import { acceptSubscriptions, Listens } from '../resources/subscriptions.ts';
import type { Service } from '../service.ts';
import { LineTransport } from './line-transport.ts';

/**
 * Serves the client on stdin and stdout until it disconnects or `stop` resolves, in both versions of
 * the protocol. Other writes to stdout go to stderr: one stray line breaks the client.
 */
export async function serveOnStdio(service: Service, stop: Promise<unknown>): Promise<void> {
  const toClient = process.stdout.write.bind(process.stdout);
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => void toClient(chunk, done),
  });
  // `output` reports the error, too. Without a listener, it would end this process with a stack trace.
  process.stdout.on('error', () => {});
  process.stdout.write = process.stderr.write.bind(process.stderr);
  await serveOnStreams(service, { input: process.stdin, output }, stop);
}

/** The two directions of a connection. */
export interface Streams {
  /** What the client sends; its end disconnects the client. */
  readonly input: Readable;
  readonly output: Writable;
}

/** As {@link serveOnStdio}, on any two streams. */
export async function serveOnStreams(
  service: Service,
  { input, output }: Streams,
  stop: Promise<unknown>,
): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    input.once('end', resolve);
    input.once('close', resolve);
    // The transport then reads no more, so the end of the input would not be seen.
    output.once('error', () => resolve());
  });
  const { watch, serverFor } = watchedServers(service);
  const listens = new Listens(watch);
  const transport = new LineTransport(input, output, (each) => listens.heard(each));
  const connection = serveStdio(({ era }) => serverFor(era), {
    transport,
    onerror: (error) => service.log('error', error.message),
  });
  await Promise.race([gone, stop]);
  watch.dispose();
  await connection.close();
}

/** The server of the only client. The library may make several while the client tries protocol versions; the last one stays. */
function watchedServers(service: Service) {
  const caller = new Caller(service);
  let server: McpServer | null = null;
  let isWanted = (_uri: string) => true;
  const watch = new ResourceWatch(service, {
    updated(uri) {
      if (isWanted(uri)) server?.server.sendResourceUpdated({ uri }).catch(() => {});
    },
    listChanged() {
      server?.server.sendResourceListChanged().catch(() => {});
    },
  });
  const serverFor = (era: 'legacy' | 'modern') => {
    server = createMcpServer(caller, true);
    // For the newer version the library itself filters by subscription.
    isWanted = era === 'legacy' ? acceptSubscriptions(server, service.host, watch) : () => true;
    return server;
  };
  return { watch, serverFor };
}
