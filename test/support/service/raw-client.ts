import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
} from 'node:http2';
import { connect as connectSocket, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A frame of HTTP/2 (RFC 9113, 4.1). */
export function http2Frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The preface of HTTP/2 and settings without a value. */
export const http2Greeting = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  http2Frame(4, 0, 0),
]);

/** A block of headers of a gRPC call, without indexing (RFC 7541, 6.2.2). */
export function grpcHeaders(method: string): Buffer {
  const fields = {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': `/vtr.VTR/${method}`,
    ':authority': 'x',
    'content-type': 'application/grpc',
    te: 'trailers',
  };
  const literals = Object.entries(fields).map(([name, value]) =>
    Buffer.concat([
      Buffer.from([0, name.length]),
      Buffer.from(name),
      Buffer.from([value.length]),
      Buffer.from(value),
    ]),
  );
  return Buffer.concat(literals);
}

/** A message in gRPC's framing: its length, its bytes. @param flags 1 if it is compressed */
export function grpcMessage(message: Uint8Array, length = message.length, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

/** Connects, and writes what is given. The connection is closed when the test ends. */
export function rawClient(path: string, ...parts: readonly (string | Uint8Array)[]): Socket {
  const socket = connectSocket(path);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}).resume();
  for (const part of parts) socket.write(part);
  return socket;
}

/** Resolves when a connection is closed, also by an error. */
export const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });

/** Everything that a connection answers until it is closed, or what it says until it has `until`. */
export async function answerOf(socket: Socket, until?: string): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    if (until !== undefined && text.includes(until)) socket.destroy();
  });
  await closed(socket);
  return text;
}

export function http2Client(path: string): ClientHttp2Session {
  const session = connectHttp2('http://localhost', { createConnection: () => connectSocket(path) });
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  return session;
}

/** Opens a gRPC call, of which nothing but the headers is sent. */
export function grpcCall(
  session: ClientHttp2Session,
  method: string,
  headers: Readonly<Record<string, string>> = {},
): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': `/vtr.VTR/${method}`,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  return stream.on('error', () => {}).resume();
}

/** A request of Connect over HTTP/1.1, with or without its body. */
export const httpRequest = (method: string, body: string, headers = ''): string =>
  `POST /vtr.VTR/${method} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
