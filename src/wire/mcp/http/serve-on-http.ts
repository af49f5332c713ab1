import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import {
  invalidUtf8Text,
  repeatedJsonName,
  TransferCodings,
  toDisposable,
  unknownCodingText,
} from '#base';
import { asVtrError, VtrError } from '#model';
import { Callers } from '../caller.ts';
import { createMcpServer } from '../mcp-server.ts';
import { ResourceWatch } from '../resources/resource-watch.ts';
import { listenedUris, wantAll } from '../resources/subscriptions.ts';
import type { Service } from '../service.ts';
import { mcpPath, refusalOf, sendRefusal, sendResponse } from './request-checks.ts';
import { clientNameOf, OpenCalls, type RpcMessage, rpcMessage } from './rpc-message.ts';

export interface HttpOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Required in each request. */
  readonly token: string;
  /** Errors that it throws end the service. */
  readonly onListening: (url: string) => void;
  /** Ends the service. */
  readonly stop: Promise<unknown>;
}

const loopback = '127.0.0.1';

/**
 * Serves clients of this machine by HTTP until `stop` resolves, in both versions of the protocol.
 *
 * @throws VtrError UNAVAILABLE if it cannot listen
 */
export async function serveOnHttp(service: Service, options: HttpOptions): Promise<void> {
  const { token, stop, onListening } = options;
  const callers = new Callers(service);
  const handler = createMcpHandler(
    ({ era, authInfo }) => {
      // An older client has no stream between its requests on which it could receive updates.
      const subscribe = era === 'modern';
      return createMcpServer(callers.of(authInfo?.clientId ?? ''), { subscribe });
    },
    { onerror: ({ message }) => service.log('warn', message), maxRequestBodySize: maxBodyBytes },
  );
  const watch = new ResourceWatch(service, {
    updated: (uri) => handler.notify.resourceUpdated(uri),
    listChanged: () => handler.notify.resourcesChanged(),
  });
  const parts = { handler, watch, openCalls: new OpenCalls() };
  // Imported here, because servers on stdio, the usual ones, then start some milliseconds sooner.
  const { createServer } = await import('node:http');
  const server = createServer({ requireHostHeader: false });
  const port = await listen(server, options.port);
  server.on('error', (error) => service.log('error', error.message));
  const codings = new TransferCodings();
  server.on('request', (request, response) => {
    const coding = codings.check(request);
    if (coding === 'ignored') return;
    const refusal =
      coding === 'unknown'
        ? ({ status: 501, message: unknownCodingText } as const)
        : refusalOf(request, { port, token });
    if (refusal !== null) {
      service.log('warn', `refused a request (${refusal.status}): ${refusal.message}`);
      return sendRefusal(response, refusal);
    }
    answerRequest(request, response, parts).catch((error) => {
      service.log('warn', `request not answered: ${asVtrError(error).message}`);
      response.destroy();
    });
  });
  try {
    onListening(`http://${loopback}:${port}${mcpPath}`);
    await stop;
  } finally {
    watch.dispose();
    await handler.close();
    await closed(server);
  }
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const refuse = ({ code }: NodeJS.ErrnoException) => reject(cannotListen(port, code));
    server.once('error', refuse);
    server.listen(port, loopback, () => {
      server.off('error', refuse);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

const cannotListen = (port: number, code: string | undefined): VtrError =>
  new VtrError(
    'UNAVAILABLE',
    `cannot listen on port ${port}: ${code}; choose another --port, or omit it`,
  );

async function closed(server: Server): Promise<void> {
  const ended = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await ended;
}

interface Parts {
  readonly handler: McpHttpHandler;
  readonly watch: ResourceWatch;
  readonly openCalls: OpenCalls;
}

/** Answers a request by the library, in the name of its client. */
async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { handler, watch, openCalls }: Parts,
): Promise<void> {
  const cancelled = new AbortController();
  response.once('close', () => cancelled.abort());
  const body = await readBody(request);
  // The `close` listener below would not run if the client is already gone.
  if (cancelled.signal.aborted) return;
  if (body === null) {
    sendRefusal(response, {
      status: 413,
      message: `the body is larger than ${maxBodyBytes} bytes`,
    });
    return;
  }
  const problem = invalidUtf8Text(body);
  if (problem !== null) {
    sendRefusal(response, { status: 400, message: `the body is not UTF-8: ${problem}` });
    return;
  }
  const text = body.toString('utf8');
  const parsedBody = parsedOrUndefined(text);
  const repeated = parsedBody === undefined ? null : repeatedJsonName(text);
  if (repeated !== null) {
    sendRefusal(response, { status: 400, message: `${repeated} is given twice` });
    return;
  }
  const message = rpcMessage(parsedBody);
  const connection = connectionOf(request, message);
  const client = clientNameOf(message) ?? connection ?? '';
  openCalls.cancelBy(connection, message);
  const ends = [
    toDisposable(openCalls.open(connection, message, cancelled)),
    wantAll(watch, listenedUris(message)),
  ];
  response.once('close', () => {
    for (const each of ends) each.dispose();
  });
  const answered = await handler.fetch(webRequest(request, text, cancelled.signal), {
    // The token was checked before; only the client's name is used.
    authInfo: { token: '', clientId: client, scopes: [] },
    ...(parsedBody === undefined ? {} : { parsedBody }),
  });
  await sendResponse(
    response,
    answered,
    connection === null ? {} : { [sessionHeader]: connection },
  );
}

const sessionHeader = 'mcp-session-id';

/**
 * Returns the id that joins the requests of an older client: made at `initialize`, and sent by the
 * client from then on. No state is kept under it, so it cannot expire.
 */
function connectionOf({ headers }: IncomingMessage, { method }: RpcMessage): string | null {
  const header = headers[sessionHeader];
  if (typeof header === 'string') return header;
  return method === 'initialize' ? randomUUID() : null;
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function webRequest(
  { method = '', headers, url = '' }: IncomingMessage,
  text: string,
  signal: AbortSignal,
): Request {
  const named = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  return new Request(`http://${headers.host}${url}`, {
    method,
    headers: named,
    signal,
    body: text,
  });
}

/** More than any call needs: input text is at most a megabyte. */
const maxBodyBytes = 4 * 1024 * 1024;
/** Up to this much of a body that is too long is read and dropped, so that the client reads the answer. */
const maxDroppedBytes = 16 * maxBodyBytes;

/** Returns the body; null if it is too long. Rejects when the client disconnects. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > maxDroppedBytes) break;
  }
  return bytes > maxBodyBytes ? null : Buffer.concat(chunks);
}
