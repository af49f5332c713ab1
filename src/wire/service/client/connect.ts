import { type Coordinator, VtrError } from '#model';
import { RemoteCoordinator, type RemoteCoordinatorOptions } from './remote-coordinator.ts';

export interface ConnectOptions extends RemoteCoordinatorOptions {
  /** Timeout of the connection, in ms; 5000 when absent. */
  readonly timeoutMs?: number;
}

/** The limit of a socket address that holds on every system; longer paths are truncated silently. */
const maxPathBytes = 103;
const defaultTimeoutMs = 5_000;

/**
 * Connects to a coordinator that another process serves.
 *
 * The connection keeps this process alive until `close`. When it is lost, pending calls fail with
 * UNAVAILABLE, and the next call opens a new one.
 *
 * @throws VtrError UNAVAILABLE, INVALID_ARGUMENT
 */
export async function connect(options: ConnectOptions): Promise<Coordinator> {
  const { socket, timeoutMs = defaultTimeoutMs } = options;
  const bytes = Buffer.byteLength(socket);
  if (bytes > maxPathBytes || bytes === 0) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      `a socket's path has 1 to ${maxPathBytes} bytes, and ${JSON.stringify(socket)} has ${bytes}`,
    );
  }
  const coordinator = new RemoteCoordinator(options);
  try {
    await coordinator.ready(timeoutMs);
    return coordinator;
  } catch (error) {
    await coordinator.close();
    throw error;
  }
}
