import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Refusal } from './request-checks.ts';

/** Writes the library's answer to a client, as fast as the client reads. */
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
  // The headers of a stream are sent before its first event.
  to.flushHeaders();
  // When the client disconnects, the stream ends, and with it its subscriptions.
  await pipeline(Readable.fromWeb(body as ReadableStream), to).catch(() => {});
}

/** A server error of JSON-RPC: -32000 to -32099 are reserved for them. */
const refusedCode = -32000;

export function sendRefusal(to: ServerResponse, { status, message }: Refusal): void {
  const body = { jsonrpc: '2.0', error: { code: refusedCode, message }, id: null };
  to.writeHead(status, {
    'content-type': 'application/json',
    // The rest of the request is not read.
    connection: 'close',
    ...(status === 405 ? { allow: 'POST' } : {}),
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="vtr"' } : {}),
  });
  to.end(JSON.stringify(body));
}
