import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { unknownCodingText } from '#base';
import { asVtrError, errorTable } from '#model';
import type { Origins } from './origins.ts';

/** What a request lacks that is refused for the safety of the sessions. */
export type RefusedFor = 'host' | 'origin' | 'site' | 'token' | 'scope';

/** Why a request is not answered. */
export interface Refusal {
  /** Set if it may be an attack: it is recorded. */
  readonly lacks?: RefusedFor;
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 426 | 429 | 501 | 502 | 503;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further details for the audit trail. Undefined ones are left out. */
  readonly details?: Readonly<Record<string, string | number | boolean | undefined>>;
}

type HeaderValues = Readonly<Record<string, string>>;

/**
 * Returns the headers of every answer: nothing but the page's own files, and no frame around it.
 *
 * @param inlineScripts the hashes of the scripts that the page contains
 */
export function securityHeaders(origins: Origins, inlineScripts: readonly string[]): HeaderValues {
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...inlineScripts].join(' '),
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "manifest-src 'self'",
    `connect-src 'self' ${origins.sockets.join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': permissions,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}

const permissions = [
  ...['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'magnetometer'],
  ...['microphone', 'midi', 'payment', 'usb'],
]
  .map((each) => `${each}=()`)
  // Paste in the key bar of a phone reads it, when a person presses that and the browser lets them.
  .concat('clipboard-read=(self)', 'clipboard-write=(self)')
  .join(', ');

/** A session that a share does not show. */
export const otherSession: Refusal = {
  status: 403,
  lacks: 'scope',
  message: 'this link shows one session only',
};

export const notLoggedIn: Refusal = {
  status: 401,
  message: 'not logged in; vtr web prints a link',
};

export const tooMany: Refusal = {
  status: 429,
  lacks: 'token',
  message: 'too many wrong tokens; wait a minute',
  headers: { 'Retry-After': '60' },
};

/** See `TransferCodings`. */
export const unknownCoding: Refusal = {
  status: 501,
  message: unknownCodingText,
  headers: { Connection: 'close' },
};

/** Answers a request that is refused, and closes its connection if the request is not complete. */
export function sendRefusal(response: ServerResponse, { status, message, headers }: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const isComplete = response.req.complete;
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    ...headers,
    ...(isComplete ? {} : { Connection: 'close' }),
  });
  response.end(response.req.method === 'HEAD' ? undefined : `${message}\n`);
}

/** Answers an upgrade that is refused, as a request. */
export function refuseUpgrade(
  request: IncomingMessage,
  socket: Socket,
  refusal: Refusal,
  headers: HeaderValues,
): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.setHeaders(new Headers(headers));
  response.once('finish', () => socket.end());
  sendRefusal(response, refusal);
}

/** The statuses of what is not answered as a request, by the codes of Node; for others 400. */
const brokenStatuses: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Answers what is not a request of HTTP, or was too slow or too large. */
export function refuseBroken(
  { code = '' }: NodeJS.ErrnoException,
  socket: Duplex,
  headers: HeaderValues,
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const status = brokenStatuses[code] ?? '400 Bad Request';
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const end = 'Connection: close\r\nContent-Length: 0\r\n\r\n';
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}${end}`, () => socket.destroy());
}

/** The refusal for what a call threw. */
export function refusalFor(thrown: unknown): Refusal {
  const { code, message } = asVtrError(thrown);
  const status = errorTable[code].grpc === 'NOT_FOUND' ? 404 : 503;
  return { status, message };
}
