import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { TransferCodings, unknownCodingText } from '#base';
import { asVtrError, VtrError } from '#model';
import { Callers } from '../caller.ts';
import { createMcpServer } from '../mcp-server.ts';
import { ResourceWatch } from '../resources/resource-watch.ts';
import type { Service } from '../service.ts';
import { answerRequest, maxBodyBytes } from './answer-request.ts';
import { OpenCalls } from './open-calls.ts';

import { mcpPath, refusalOf } from './request-checks.ts';
import { sendRefusal } from './send-response.ts';

export interface HttpOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Required in each request. */
  readonly token: string;
  /** Errors that it throws end the service. */
  readonly onListening: (url: string) => void;
  /** Ends the service. */
  readonly stop: Promise<unknown>;
}

const loopback = '127.0.0.1';

/**
 * Serves clients of this machine by HTTP until `stop` resolves, in both versions of the protocol.
 *
 * @throws VtrError UNAVAILABLE if it cannot listen
 */
export async function serveOnHttp(service: Service, options: HttpOptions): Promise<void> {
  const { token, stop, onListening } = options;
  const callers = new Callers(service);
  const handler = createMcpHandler(
    ({ era, authInfo }) => {
      // An older client has no stream between its requests on which it could receive updates.
      const subscribe = era === 'modern';
      return createMcpServer(callers.of(authInfo?.clientId ?? ''), subscribe);
    },
    { onerror: ({ message }) => service.log('warn', message), maxRequestBodySize: maxBodyBytes },
  );
  const watch = new ResourceWatch(service, {
    updated: (uri) => handler.notify.resourceUpdated(uri),
    listChanged: () => handler.notify.resourcesChanged(),
  });
  const parts = { handler, watch, openCalls: new OpenCalls() };
  // Imported here, because servers on stdio, the usual ones, then start some milliseconds sooner.
  const { createServer } = await import('node:http');
  const server = createServer({ requireHostHeader: false });
  const port = await listen(server, options.port);
  server.on('error', (error) => service.log('error', error.message));
  const codings = new TransferCodings();
  server.on('request', (request, response) => {
    const coding = codings.check(request);
    if (coding === 'ignored') return;
    const refusal =
      coding === 'unknown'
        ? ({ status: 501, message: unknownCodingText } as const)
        : refusalOf(request, { port, token });
    if (refusal !== null) {
      service.log('warn', `refused a request (${refusal.status}): ${refusal.message}`);
      return sendRefusal(response, refusal);
    }
    answerRequest(request, response, parts).catch((error) => {
      service.log('warn', `request not answered: ${asVtrError(error).message}`);
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
    `cannot listen on port ${port}: ${code}; choose another --port, or omit it`,
  );

async function closed(server: Server): Promise<void> {
  const ended = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await ended;
}
