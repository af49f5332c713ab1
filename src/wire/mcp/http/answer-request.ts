import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { toDisposable } from '#base';
import type { ResourceWatch } from '../resources/resource-watch.ts';
import { listenedUris, wantAll } from '../resources/subscriptions.ts';
import type { Exchanges } from './open-calls.ts';
import { clientNameOf, type RpcMessage, rpcMessage } from './rpc-message.ts';
import { sendRefusal, sendResponse } from './send-response.ts';

interface Parts {
  readonly handler: McpHttpHandler;
  readonly watch: ResourceWatch;
  readonly exchanges: Exchanges;
}

/** Has the library answer a request, as one of the client that it is of. */
export async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { handler, watch, exchanges }: Parts,
): Promise<void> {
  const withdrawn = new AbortController();
  response.once('close', () => withdrawn.abort());
  const text = await readBody(request);
  // What is held below is let go when the client goes, which must not have been before.
  if (withdrawn.signal.aborted) return;
  if (text === null) {
    sendRefusal(response, { status: 413, message: `a body has ${maxBodyBytes} bytes at most` });
    return;
  }
  const parsedBody = parsedOrUndefined(text);
  const message = rpcMessage(parsedBody);
  const connection = connectionOf(request, message);
  const client = clientNameOf(message) ?? connection ?? '';
  exchanges.heard(client, message);
  const ends = [
    toDisposable(exchanges.open(client, message, withdrawn)),
    wantAll(watch, listenedUris(message)),
  ];
  response.once('close', () => {
    for (const each of ends) each.dispose();
  });
  const answered = await handler.fetch(webRequest(request, text, withdrawn.signal), {
    // That it bears the token, has been looked at; here it counts who it is of.
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
 * By what the requests of an older client are known to be of one: a name that it is given when it
 * opens, and gives back from then on. Nothing is kept under it that could expire.
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

/** More than any call of ours needs: text to type is a megabyte at most. */
export const maxBodyBytes = 4 * 1024 * 1024;
/** Of a body that is too long so much is read and dropped, for the client to hear the answer. */
const maxDroppedBytes = 16 * maxBodyBytes;

/** The body; null where it is too long. Rejects when the client goes. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > maxDroppedBytes) break;
  }
  return bytes > maxBodyBytes ? null : Buffer.concat(chunks).toString('utf8');
}
