import { quoted } from '#base';
import { type Coordinator, isAddress, parseAddress, VtrError } from '#model';
import type { FramedClient } from '../frames/frame.ts';
import type { Recover } from './continuity.ts';
import { RemoteCoordinator } from './remote-coordinator.ts';
import type { IsStuck } from './silence-limits.ts';
import type { CallerSource } from './unary-client.ts';

export interface ConnectOptions {
  /** Path of the Unix socket that a coordinator serves, at most 103 bytes; or an address. */
  readonly socket: string;
  /**
   * Timeout of the connection, in ms. Default: 30,000; none if ssh may ask a person. A coordinator that answers
   * nothing fails sooner.
   */
  readonly timeoutMs?: number;
  /** Whether ssh may ask a person. Default: whether one can answer here. */
  readonly mayPrompt?: boolean;
  /** Called when the connection is lost: the coordinator ended or was killed, or `close` was called. */
  readonly onLost?: () => void;
  /**
   * Makes sure that a coordinator serves if sessions are left without one; returns false if none are
   * left. Calls that are safe to repeat then survive the end of the coordinator. Default: none do.
   */
  readonly recover?: Recover;
  /** Default: such a coordinator is told from a slow one by the time that it takes. */
  readonly isStuck?: IsStuck;
  /** The kind of this client, for the audit trail. Default: `library`. */
  readonly client?: FramedClient;
  /**
   * Returns the environment of programs that requests without one start; not called for a coordinator at an
   * address. Default: the coordinator decides.
   */
  readonly caller?: CallerSource;
}

/** The limit of a socket address that holds on every system; longer paths are truncated silently. */
const maxPathBytes = 103;
/** For one that answers something, and not the greeting; {@link IsStuck} ends others sooner. */
const defaultTimeoutMs = 30_000;

/**
 * Connects to a coordinator that another process serves.
 *
 * The connection keeps this process alive until `close`. When it is lost, pending calls fail with
 * UNAVAILABLE, and the next call opens a new one.
 *
 * @throws VtrError UNAVAILABLE, INVALID_ARGUMENT
 */
export async function connect(options: ConnectOptions): Promise<Coordinator> {
  const { socket } = options;
  const isFar = isAddress(socket);
  if (isFar) parseAddress(socket);
  else checkPath(socket);
  // The program of an address has a limit of its own.
  const { timeoutMs = isFar ? null : defaultTimeoutMs } = options;
  const coordinator = new RemoteCoordinator(options);
  try {
    await coordinator.ready(timeoutMs);
    return coordinator;
  } catch (error) {
    await coordinator.close();
    throw error;
  }
}

/** @throws VtrError INVALID_ARGUMENT */
function checkPath(socket: string): void {
  const bytes = Buffer.byteLength(socket);
  if (bytes <= maxPathBytes && bytes > 0) return;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `a socket's path has 1 to ${maxPathBytes} bytes, and ${quoted(socket)} has ${bytes}`,
  );
}
