import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { asVtrError, VtrError } from '#model';
import { Callers } from '../caller.ts';
import { createMcpServer } from '../mcp-server.ts';
import { ResourceWatch } from '../resources/resource-watch.ts';
import type { Service } from '../service.ts';
import { answerRequest, maxBodyBytes } from './answer-request.ts';
import { Exchanges } from './open-calls.ts';

import { mcpPath, refusalOf } from './request-checks.ts';
import { sendRefusal } from './send-response.ts';

export interface HttpOptions {
  /** 0 for a free one. */
  readonly port: number;
  /** What each request has to bear. */
  readonly token: string;
  /** What it throws ends the service. */
  readonly onListening: (url: string) => void;
  /** Ends the service. */
  readonly stop: Promise<unknown>;
}

const loopback = '127.0.0.1';

/**
 * Serves clients of this machine by HTTP until `stop` resolves, in both eras of the protocol.
 *
 * @throws VtrError UNAVAILABLE where it cannot listen
 */
export async function serveOnHttp(service: Service, options: HttpOptions): Promise<void> {
  const { token, stop, onListening } = options;
  const callers = new Callers(service);
  const handler = createMcpHandler(
    ({ era, authInfo }) => {
      // Between the requests of an older client there is nothing by which it could be told.
      const subscribe = era === 'modern';
      return createMcpServer(callers.of(authInfo?.clientId ?? ''), subscribe);
    },
    { onerror: ({ message }) => service.log('warn', message), maxRequestBodySize: maxBodyBytes },
  );
  const watch = new ResourceWatch(service, {
    updated: (uri) => handler.notify.resourceUpdated(uri),
    listChanged: () => handler.notify.resourcesChanged(),
  });
  const parts = { handler, watch, exchanges: new Exchanges() };
  // Servers at stdio, which most are, start some milliseconds sooner without it.
  const { createServer } = await import('node:http');
  const server = createServer({ requireHostHeader: false });
  const port = await listen(server, options.port);
  server.on('error', (error) => service.log('error', error.message));
  server.on('request', (request, response) => {
    const refusal = refusalOf(request, { port, token });
    if (refusal !== null) {
      service.log('warn', `refused a request (${refusal.status}): ${refusal.message}`);
      return sendRefusal(response, refusal);
    }
    answerRequest(request, response, parts).catch((error) => {
      service.log('warn', `a request was not answered: ${asVtrError(error).message}`);
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
    `cannot listen at port ${port}: ${code}; choose another with --port, or leave it out`,
  );

async function closed(server: Server): Promise<void> {
  const ended = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await ended;
}
