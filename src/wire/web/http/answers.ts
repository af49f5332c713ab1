import type { ServerResponse } from 'node:http';
import { asVtrError, errorTable } from '#model';
import type { Origins } from './origins.ts';

/** Why a request is not answered. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 426 | 429 | 503;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Headers = Readonly<Record<string, string>>;

/** Returns the headers of every answer: nothing but the page's own files, and no frame around it. */
export function securityHeaders(origins: Origins): Headers {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
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
  .concat('clipboard-write=(self)', 'clipboard-read=(self)')
  .join(', ');

export const notLoggedIn: Refusal = {
  status: 401,
  message: 'not logged in; vtr web prints a link',
};

export const tooMany: Refusal = {
  status: 429,
  message: 'too many wrong tokens; wait a minute',
  headers: { 'Retry-After': '60' },
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

/** The refusal for what a call threw. */
export function refusalFor(thrown: unknown): Refusal {
  const { code, message } = asVtrError(thrown);
  const status = errorTable[code].grpc === 'NOT_FOUND' ? 404 : 503;
  return { status, message };
}
