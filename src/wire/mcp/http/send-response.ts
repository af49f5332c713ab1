import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Refusal } from './request-checks.ts';

/** Writes an answer of the library's to a client, as fast as the client takes it. */
export async function sendResponse(
  to: ServerResponse,
  { status, headers, body }: Response,
  more: Readonly<Record<string, string>>,
): Promise<void> {
  to.writeHead(status, { ...Object.fromEntries(headers), ...more });
  if (body === null) {
    to.end();
    return;
  }
  // Of a stream the head goes out before there is anything to tell.
  to.flushHeaders();
  // A client that goes ends the stream, and the stream what it told of.
  await pipeline(Readable.fromWeb(body as ReadableStream), to).catch(() => {});
}

/** JSON-RPC keeps these numbers for what a server has to say of its own. */
const refusedCode = -32000;

export function sendRefusal(to: ServerResponse, { status, message }: Refusal): void {
  const body = { jsonrpc: '2.0', error: { code: refusedCode, message }, id: null };
  to.writeHead(status, {
    'content-type': 'application/json',
    // What else the client sends is not read.
    connection: 'close',
    ...(status === 405 ? { allow: 'POST' } : {}),
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="vtr"' } : {}),
  });
  to.end(JSON.stringify(body));
}
