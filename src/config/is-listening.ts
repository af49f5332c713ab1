import { VtrError } from '#model';

/** A listening peer answers at once, even a busy one: the kernel accepts the connection. */
const connectTimeoutMs = 5000;

/** What `connect` fails with where no process listens. */
const notListening = ['ECONNREFUSED', 'ENOENT', 'ENOTDIR', 'ENOTSOCK'];
/** What it fails with where this process or the system can connect to nothing. */
const outOfFiles = ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'];

/**
 * Whether a process listens at a Unix socket.
 *
 * @throws VtrError UNAVAILABLE if the system cannot connect to any
 */
export async function isListening(socket: string): Promise<boolean> {
  // Most commands need no streams, which take long to load.
  const { connect } = await import('node:net');
  return new Promise((resolve, reject) => {
    const connection = connect(socket);
    const end = (isThere: boolean) => {
      connection.destroy();
      resolve(isThere);
    };
    connection.once('connect', () => end(true));
    // EAGAIN means that the queue is full, so a process listens.
    connection.once('error', ({ code = '' }: NodeJS.ErrnoException) => {
      if (outOfFiles.includes(code)) reject(cannotTell(socket, code));
      else end(!notListening.includes(code));
    });
    connection.setTimeout(connectTimeoutMs, () => end(true));
  });
}

const cannotTell = (socket: string, code: string): VtrError =>
  new VtrError('UNAVAILABLE', `cannot connect to ${socket}: no more files can be opened (${code})`);
