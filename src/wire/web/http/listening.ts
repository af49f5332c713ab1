import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { VtrError } from '#model';

const defaultPort = 7681;
/** How many ports are tried from that one on. */
const triedPorts = 100;
/** A request must be complete within this time, in ms. */
const requestMs = 10_000;
const maxHeaderBytes = 16 * 1024;
const maxConnections = 512;

export interface ListeningOptions {
  readonly host: string;
  /** Default: 7681 or the next free one; 0 any free one. */
  readonly port: number | undefined;
  /** PEM. */
  readonly tls: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
}

/**
 * Opens a server of HTTP/1.1 that bounds what a client can take.
 *
 * @throws VtrError INVALID_ARGUMENT for a certificate or key that is not one; UNAVAILABLE if it cannot
 * listen there
 */
export async function openServer({ host, port, tls }: ListeningOptions): Promise<{
  readonly server: Server;
  readonly port: number;
}> {
  const server = serverOf(tls);
  server.maxConnections = maxConnections;
  const first = port ?? defaultPort;
  const last = port === undefined ? first + triedPorts : first;
  for (let tried = first; ; tried++) {
    try {
      return { server, port: await listen(server, host, tried) };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const isUsed = code === 'EADDRINUSE';
      if (isUsed && tried < last) continue;
      const why = isUsed ? 'the port is in use; choose another with --port' : message;
      throw new VtrError('UNAVAILABLE', `cannot listen at ${host} port ${tried}: ${why}`, {
        cause: error,
      });
    }
  }
}

function serverOf(tls: ListeningOptions['tls']): Server {
  const limits = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: requestMs,
    // It is checked with its answer.
    requireHostHeader: false,
  };
  if (tls === undefined) return createHttpServer(limits);
  try {
    return createHttpsServer({ ...limits, ...tls, minVersion: 'TLSv1.2' });
  } catch (error) {
    const message = `the TLS certificate or key cannot be used: ${(error as Error).message}`;
    throw new VtrError('INVALID_ARGUMENT', message, { cause: error });
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
