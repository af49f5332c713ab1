import { defined } from '#base';
import { connect } from '#wire/service';
import type { CoordinatorOptions, CoordinatorUnderTest } from '../../contract/coordinator.ts';
import { ServedPtyd } from '../pty/served-ptyd.ts';
import { serveCoordinator } from './served-coordinator.ts';

/**
 * As a user's daemon: between it and its programs is a PTY host, and its clients are behind a socket.
 * All are in this process, because starting another takes most of the time of a test.
 */
export async function startRemoteCoordinator(
  options: CoordinatorOptions,
): Promise<CoordinatorUnderTest> {
  const { maxSessions, maxKeptExited, ...defaults } = options;
  const ptyd = await ServedPtyd.start();
  const ptyHost = await ptyd.connect({ survival: { again: null } });
  const served = await serveCoordinator({
    ptyHost,
    defaults,
    ...defined({ maxSessions, maxKeptExited }),
  });
  // As the client of the package, which repeats calls.
  const recover = async () => false;
  const coordinator = await connect({ socket: served.socket, recover });
  const end = async () => {
    await coordinator.close();
    await served.end();
    await ptyd.dispose();
  };
  return { coordinator, end };
}
