import { connect as connectSocket } from 'node:net';
import type { Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';

/** Calls a service by the messages of its proto, over a connection that ends when it is idle. */
export function wireTransport({ socket }: { readonly socket: string }): Transport {
  return createGrpcTransport({
    baseUrl: 'http://localhost',
    nodeOptions: { createConnection: () => connectSocket(socket) },
    idleConnectionTimeoutMs: 100,
  });
}
