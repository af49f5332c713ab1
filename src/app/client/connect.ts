import { fileURLToPath } from 'node:url';
import { type Coordinator, callerEnvironment, canonicalAddress, isSelector } from '#model';
import { callOrStart, daemonStuck } from './daemon-calls.ts';
import { reachDaemon } from './start-daemon.ts';

/** Where the coordinator is. */
export type ConnectPlace =
  | {
      /** Path of the Unix socket that a coordinator serves; at most 103 bytes. */
      readonly socket: string;
    }
  | {
      /** Such as `ssh://gpu1`, or `kube://ns/app=web`, of which one pod runs; see docs/fleet.md. */
      readonly address: string;
    };

interface ConnectChoices {
  /**
   * Timeout of the connection, in ms. Default: 30,000; none if ssh may ask a person. A coordinator that answers
   * nothing fails sooner.
   */
  readonly timeoutMs?: number;
  /** Called when the connection is lost: the coordinator ended or was killed, or `close` was called. */
  readonly onLost?: () => void;
  /** Starts a daemon at the socket if none runs, now or later. Default: false. */
  readonly start?: boolean;
}

export type ConnectOptions = ConnectPlace & ConnectChoices;

/**
 * Connects to a coordinator that another process serves.
 *
 * Programs that it starts on this machine have the environment of this process at the time of the call, without
 * secrets; see {@link SpawnRequest.environment}.
 *
 * The connection keeps this process alive until `close`. It is opened again when it was lost. If the
 * coordinator was replaced or killed and its sessions continue, calls that are safe to repeat are
 * repeated: reads, waits, input, spawns and runs; subscriptions continue with a new snapshot, and leases
 * stay open. Other pending calls fail with UNAVAILABLE and `details.restarting`, and all do if no
 * coordinator answers within 3 s, or 20 s for an address.
 *
 * @throws VtrError UNAVAILABLE, INVALID_ARGUMENT
 */
export async function connect(options: ConnectOptions): Promise<Coordinator> {
  const { start = false, ...others } = options;
  const socket = 'socket' in others ? others.socket : await oneAddress(others.address);
  // This file is two directories below the root of the package's modules, compiled or not.
  const program = fileURLToPath(new URL('../../../dist/vtr.cjs', import.meta.url));
  const command = { program, env: process.env };
  const recover = (connectMs: number) =>
    reachDaemon(command, socket, start ? 'if_left' : 'never', { connectMs });
  const caller = () => callerEnvironment(process.env);
  const service = await import('#wire/service');
  return callOrStart(
    () => service.connect({ ...others, socket, recover, isStuck: daemonStuck(socket), caller }),
    async () => start && reachDaemon(command, socket, 'always'),
  );
}

/** What is selected is looked up once: another container has other sessions. */
async function oneAddress(text: string): Promise<string> {
  if (!isSelector(text)) return canonicalAddress(text);
  const { selectedAddress } = await import('#transport');
  return selectedAddress(text);
}
