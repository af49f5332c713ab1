import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TransferCodings } from '#base';
import { MetricsPage, metricsPath, textAnswer } from '#metrics';
import { asVtrError, VtrError } from '#model';
import type { Context } from '../context.ts';
import { chosenCoordinators } from '../coordinators/known-coordinators.ts';
import { StopSignals, signalStatus } from '../stop-signals.ts';
import { collectMetrics } from './collect-metrics.ts';

/** Where metrics are served. */
export interface ListenAddress {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
}

/**
 * Serves the metrics of coordinators over TCP, and nothing else of them, until a signal ends it. Returns the
 * exit status.
 *
 * @param named the coordinator; undefined for all known ones
 * @throws VtrError UNAVAILABLE if it cannot listen there, INVALID_ARGUMENT
 */
export async function serveMetrics(
  context: Context,
  { host, port }: ListenAddress,
  named: string | undefined,
): Promise<number> {
  // A wrong name fails now, and not with the first request.
  await chosenCoordinators(context, named);
  const page = new MetricsPage(async () => (await collectMetrics(context, named)).families);
  const codings = new TransferCodings();
  const server = createServer((request, response) => {
    if (codings.admit(request, response)) void answer(page, request, response);
  });
  const stop = new StopSignals();
  try {
    server.listen(port, host);
    await once(server, 'listening').catch((error) => {
      throw cannotListen(error, { host, port });
    });
    const { port: boundPort } = server.address() as AddressInfo;
    const shown = host.includes(':') ? `[${host}]` : host;
    context.say(`serving metrics at http://${shown}:${boundPort}${metricsPath}`);
    return signalStatus(await stop.received);
  } finally {
    stop.dispose();
    server.close();
    server.closeAllConnections();
  }
}

async function answer(
  page: MetricsPage,
  { url = '', method, headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isPage = url.split('?', 1)[0] === metricsPath;
  const answer = isPage
    ? page.answer(method, headers.accept)
    : Promise.resolve(textAnswer(404, `the metrics are at ${metricsPath}`));
  // A coordinator that does not answer is the only reason.
  const {
    status,
    headers: fields,
    body,
  } = await answer.catch((error) => textAnswer(503, asVtrError(error).message));
  response.writeHead(status, fields).end(body);
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; choose another port',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'no machine has that name',
  EACCES: 'ports below 1024 need a permission; choose another port',
};

function cannotListen(
  { code = '', message }: NodeJS.ErrnoException,
  { host, port }: ListenAddress,
): VtrError {
  const why = reasons[code] ?? message;
  return new VtrError('UNAVAILABLE', `metrics cannot be served at ${host}:${port}: ${why}`);
}
