import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { ignored } from '#base';

/** The path of the MCP endpoint. */
export const mcpPath = '/mcp';

/** The answer to a request that is refused. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 501;
  readonly message: string;
}

export interface Gate {
  /** The port of this server. */
  readonly port: number;
  /** Required in every request. */
  readonly token: string;
}

/**
 * Returns why a request is refused; null if it is accepted. Only local names are accepted: a web page
 * may resolve its own name to this address (DNS rebinding), and then Host and Origin have that name.
 */
export function refusalOf(request: IncomingMessage, { port, token }: Gate): Refusal | null {
  const { headers, headersDistinct, method, url = '' } = request;
  if ((headersDistinct['host']?.length ?? 0) > 1) {
    return { status: 400, message: 'the request has several Host headers' };
  }
  if (!isOurHost(headers.host, port)) {
    return {
      status: 403,
      message: `the Host header must be 127.0.0.1:${port}, localhost:${port} or [::1]:${port}`,
    };
  }
  if (!isLocalOrigin(headers.origin)) {
    return { status: 403, message: 'web pages from other machines are not allowed' };
  }
  if (url.split('?')[0] !== mcpPath) {
    return { status: 404, message: `not found; MCP is at ${mcpPath}` };
  }
  if (!bearsToken(headers, token)) {
    const which = 'that of VTR_MCP_TOKEN or --token-file, else that printed at start';
    const message = `send the token (${which}): Authorization: Bearer TOKEN`;
    return { status: 401, message };
  }
  // GET and DELETE of older clients open and end streams of servers that keep state for them.
  if (method !== 'POST') return { status: 405, message: 'use POST' };
  return null;
}

const names = ['127.0.0.1', 'localhost', '[::1]'];

function isOurHost(host: string | undefined, port: number): boolean {
  const lower = host?.toLowerCase();
  return names.some((name) => lower === `${name}:${port}` || (port === 80 && lower === name));
}

/** Programs send no Origin. Pages from any port of this machine are allowed, if they have the token. */
function isLocalOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  return /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i.test(origin);
}

function bearsToken({ authorization = '' }: IncomingHttpHeaders, token: string): boolean {
  const [, bearer = ''] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  // Digests have equal length, so the time of the comparison reveals nothing about the token.
  return timingSafeEqual(digestOf(bearer), digestOf(token));
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

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
  await ignored(
    pipeline(Readable.fromWeb(body as ReadableStream), to),
    'the client has disconnected',
  );
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
