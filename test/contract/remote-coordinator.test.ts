import { connect } from '#wire/service';
import { serveCoordinator } from '../support/service/served-coordinator.ts';
import { coordinatorContract } from './coordinator.ts';

coordinatorContract('a remote coordinator', async ({ maxSessions, maxKeptExited, ...defaults }) => {
  const served = await serveCoordinator({
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
  };
  return { coordinator, end };
});
