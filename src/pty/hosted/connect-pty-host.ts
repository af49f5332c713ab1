import { randomBytes } from 'node:crypto';
import { HostConnection } from './host-connection.ts';
import { HostedPtyHost, type HostedPtyHostOptions } from './hosted-pty-host.ts';

export interface ConnectOptions extends HostedPtyHostOptions {
  readonly socket: string;
  /** The version of this package. */
  readonly version: string;
}

/**
 * Connects to the PTY host at a socket, as its only coordinator.
 *
 * @throws VtrError UNAVAILABLE
 */
export async function connectPtyHost(options: ConnectOptions): Promise<HostedPtyHost> {
  const { socket, version } = options;
  return new HostedPtyHost(await HostConnection.open(socket, version, randomBytes(16)), options);
}
