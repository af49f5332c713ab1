import { HostConnection, type Survival } from './host-connection.ts';
import { HostedPtyHost, type HostedPtyHostOptions } from './hosted-pty-host.ts';

export interface ConnectOptions extends HostedPtyHostOptions {
  readonly socket: string;
  /** The version of this package. */
  readonly version: string;
  /** Absent: all programs end when the connection ends. */
  readonly survival?: Survival;
}

/**
 * Connects to the PTY host at a socket, as its only coordinator.
 *
 * @throws VtrError UNAVAILABLE
 */
export async function connectPtyHost(options: ConnectOptions): Promise<HostedPtyHost> {
  const { socket, version, survival = null } = options;
  return new HostedPtyHost(await HostConnection.open(socket, version, survival), options);
}
