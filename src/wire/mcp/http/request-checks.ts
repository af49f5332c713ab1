import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Where the protocol is spoken. */
export const mcpPath = '/mcp';

/** What a request is answered with that is not let in. */
export interface Refusal {
  readonly status: 401 | 403 | 404 | 405 | 413;
  readonly message: string;
}

export interface Gate {
  /** Where we listen. */
  readonly port: number;
  /** What every request has to bear. */
  readonly token: string;
}

/**
 * Why a request is not let in; null where it is. Names that lead here count and nothing else: a page
 * in a browser may have had its own name point here (DNS rebinding), and then both Host and Origin
 * say that name.
 */
export function refusalOf(request: IncomingMessage, { port, token }: Gate): Refusal | null {
  const { headers, method, url = '' } = request;
  if (!isOurHost(headers.host, port)) {
    return {
      status: 403,
      message: `the Host header has to be 127.0.0.1:${port}, localhost:${port} or [::1]:${port}`,
    };
  }
  if (!isLocalOrigin(headers.origin)) {
    return { status: 403, message: 'pages of other machines may not speak to this server' };
  }
  if (url.split('?')[0] !== mcpPath) {
    return { status: 404, message: `there is nothing here; MCP is at ${mcpPath}` };
  }
  if (!bearsToken(headers, token)) {
    const message = 'give the token that vtr mcp told when it started: Authorization: Bearer TOKEN';
    return { status: 401, message };
  }
  // Streams of old clients and their ends (GET, DELETE) are for servers that keep something for them.
  if (method !== 'POST') return { status: 405, message: 'requests are made by POST here' };
  return null;
}

const names = ['127.0.0.1', 'localhost', '[::1]'];

function isOurHost(host: string | undefined, port: number): boolean {
  const given = host?.toLowerCase();
  return names.some((name) => given === `${name}:${port}` || (port === 80 && given === name));
}

/** Programs send none. Pages of any port of this machine may speak to us, if they have the token. */
function isLocalOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  return /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i.test(origin);
}

function bearsToken({ authorization = '' }: IncomingHttpHeaders, token: string): boolean {
  const [, given = ''] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  // Of equal length, so that the time of the comparison tells nothing, the length neither.
  return timingSafeEqual(digestOf(given), digestOf(token));
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
