import { connect } from 'node:net';

/** A peer that is there answers at once, also when it is busy: the kernel does it. */
const patienceMs = 5000;

/** Whether somebody listens at a Unix socket. */
export function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const end = (isThere: boolean) => {
      connection.destroy();
      resolve(isThere);
    };
    connection.once('connect', () => end(true));
    // A queue that is full (EAGAIN) has somebody behind it.
    connection.once('error', ({ code }: NodeJS.ErrnoException) =>
      end(code !== 'ECONNREFUSED' && code !== 'ENOENT' && code !== 'ENOTSOCK'),
    );
    connection.setTimeout(patienceMs, () => end(true));
  });
}
