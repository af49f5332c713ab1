import { connect } from '#wire/service';
import type { CoordinatorOptions, CoordinatorUnderTest } from '../../contract/coordinator.ts';
import { startTestPtyHost } from '../pty/hosted-pty-host.ts';
import { serveCoordinator } from './served-coordinator.ts';

/** As a user's daemon: its programs are in a PTY host, and its clients in other processes. */
export async function startRemoteCoordinator(
  options: CoordinatorOptions,
): Promise<CoordinatorUnderTest> {
  const { maxSessions, maxKeptExited, ...defaults } = options;
  const { host: ptyHost, dispose } = await startTestPtyHost();
  const served = await serveCoordinator({
    ptyHost,
    defaults,
    ...(maxSessions === undefined ? {} : { maxSessions }),
    ...(maxKeptExited === undefined ? {} : { maxKeptExited }),
  });
  // As the client of the package, which repeats calls.
  const recover = async () => false;
  const coordinator = await connect({ socket: served.socket, recover });
  const end = async () => {
    await coordinator.close();
    await served.end();
    dispose();
  };
  return { coordinator, end };
}
