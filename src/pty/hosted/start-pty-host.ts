import { type ConnectOptions, connectPtyHost } from './connect-pty-host.ts';
import type { HostedPtyHost } from './hosted-pty-host.ts';
import { type LaunchOptions, PtyHostProcess } from './pty-host-process.ts';

export interface UseOptions extends Pick<ConnectOptions, 'onListenerError' | 'survival'> {
  /** Called with the signal or the exit status of a host that ended by itself. */
  readonly onKilled?: (how: string) => void;
  /** Path at which the socket is reached; default itself. */
  readonly reachedAt?: string;
}

export interface StartedPtyHost {
  readonly host: HostedPtyHost;
  readonly pid: number;
}

/**
 * Starts a PTY host in a process of its own.
 *
 * @throws VtrError as {@link useHostProcess}
 */
export const startPtyHost = (options: LaunchOptions & UseOptions): Promise<StartedPtyHost> =>
  useHostProcess(PtyHostProcess.launch(options), options);

/**
 * Connects to a host once it listens.
 *
 * @throws VtrError UNAVAILABLE if it does not start, SYSTEM_LIMIT if a limit is the reason
 */
export async function useHostProcess(
  started: PtyHostProcess,
  { onListenerError, onKilled = () => {}, survival, reachedAt = started.socket }: UseOptions,
): Promise<StartedPtyHost> {
  await started.listen(onKilled);
  const host = await connectPtyHost({
    ...{ socket: reachedAt, version: started.version, untilExited: () => started.untilExited() },
    ...(onListenerError === undefined ? {} : { onListenerError }),
    ...(survival === undefined ? {} : { survival }),
  });
  return { host, pid: started.pid };
}
