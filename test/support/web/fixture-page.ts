import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import WebSocket from 'ws';
import type { Clock } from '#base';
import type { JsonCalls } from '#model';
import { WebAccess, WebServer } from '#wire/web';
import { tree } from '../tree.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { noSessions } from './silent-calls.ts';

const script = 'console.log("page");\n';

/** A page of two files. */
function fixturePage(): string {
  const directory = tree({
    'index.html': '<!doctype html><title>vtr</title>',
    'assets/app.0a1b2c.js': script,
    'manifest.webmanifest': '{}',
  });
  writeFileSync(join(directory, 'assets/app.0a1b2c.js.gz'), gzipSync(script));
  return directory;
}

/** Calls that no test makes. */
const noCalls: JsonCalls = {
  connect: () => ({
    unary: () => Promise.reject(new Error('no call was expected')),
    stream: () => {
      throw new Error('no stream was expected');
    },
    close: () => {},
  }),
};

export interface ServedPage {
  readonly server: WebServer;
  readonly access: WebAccess;
  readonly origin: string;
  /** Returns a cookie, as a browser sends it. */
  login(token?: string): string;
}

/** Serves the fixture page until the test ends. */
export async function servePage(
  options: Partial<Parameters<typeof WebServer.open>[0]> & { readonly clock?: Clock } = {},
): Promise<ServedPage> {
  const { clock = new VirtualClock(), access = new WebAccess({ clock }) } = options;
  const server = await WebServer.open({
    calls: noCalls,
    sessions: noSessions,
    access,
    pageDirectory: fixturePage(),
    coordinator: 'test',
    clock,
    host: '127.0.0.1',
    port: 0,
    onFault: (error: unknown) => void faults.push(error),
    ...options,
  });
  const faults: unknown[] = [];
  onTestFinished(async () => {
    await server.close();
    if (faults.length > 0) throw faults[0];
  });
  return {
    server,
    access,
    origin: server.origin,
    login(token = access.newLink()) {
      const result = access.login(token);
      if (typeof result === 'string') throw new Error(result);
      return `vtr_${server.port}=${result.cookie}`;
    },
  };
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Opens a WebSocket; resolves to it, or to the answer that refuses it. */
export function openSocket(
  url: string,
  protocols: string[],
  headers: Readonly<Record<string, string>>,
): Promise<WebSocket | Answered> {
  const socket = new WebSocket(url, protocols, { headers: { ...headers } });
  onTestFinished(() => socket.terminate());
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => {
        const pairs = Object.entries(response.headers).map(([name, value]) => [
          name,
          String(value),
        ]);
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(pairs as [string, string][]),
          body,
        });
      });
    });
  });
}
