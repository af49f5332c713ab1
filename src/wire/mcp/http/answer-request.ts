import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { invalidUtf8Text, repeatedJsonName, toDisposable } from '#base';
import type { ResourceWatch } from '../resources/resource-watch.ts';
import { listenedUris, wantAll } from '../resources/subscriptions.ts';
import type { OpenCalls } from './open-calls.ts';
import { clientNameOf, type RpcMessage, rpcMessage } from './rpc-message.ts';
import { sendRefusal, sendResponse } from './send-response.ts';

interface Parts {
  readonly handler: McpHttpHandler;
  readonly watch: ResourceWatch;
  readonly openCalls: OpenCalls;
}

/** Answers a request by the library, in the name of its client. */
export async function answerRequest(
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
  const given = headers[sessionHeader];
  if (typeof given === 'string') return given;
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
export const maxBodyBytes = 4 * 1024 * 1024;
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
