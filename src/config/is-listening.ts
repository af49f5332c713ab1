import { connect } from 'node:net';

/** A listening peer answers at once, even a busy one: the kernel accepts the connection. */
const connectTimeoutMs = 5000;

/** Whether a process listens at a Unix socket. */
export function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const end = (isThere: boolean) => {
      connection.destroy();
      resolve(isThere);
    };
    connection.once('connect', () => end(true));
    // EAGAIN means that the queue is full, so a process listens.
    connection.once('error', ({ code }: NodeJS.ErrnoException) =>
      end(code !== 'ECONNREFUSED' && code !== 'ENOENT' && code !== 'ENOTSOCK'),
    );
    connection.setTimeout(connectTimeoutMs, () => end(true));
  });
}
