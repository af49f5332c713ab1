import { connect as connectSocket } from 'node:net';
import type { Transport } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';

/**
 * Calls a service by the messages of its proto.
 *
 * @param beforeEnd registers the end of the connection: a library that waits for the next call throws an error that
 * nobody can catch if a server says goodbye just when it closes the connection itself. Absent: the connection ends
 * when it is idle.
 */
export function wireTransport({
  socket,
  beforeEnd,
}: {
  readonly socket: string;
  readonly beforeEnd?: (run: () => void) => void;
}): Transport {
  const baseUrl = 'http://localhost';
  const idle = beforeEnd === undefined ? { idleConnectionTimeoutMs: 100 } : {};
  const createConnection = () => connectSocket(socket);
  const sessionManager = new Http2SessionManager(baseUrl, idle, { createConnection });
  beforeEnd?.(() => sessionManager.abort());
  return createGrpcTransport({ baseUrl, sessionManager });
}
