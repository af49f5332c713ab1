import { connect } from '#wire/service';
import { serveCoordinator } from '../support/service/served-coordinator.ts';
import { coordinatorContract } from './coordinator.ts';

coordinatorContract('a remote coordinator', async ({ maxSessions, maxKeptExited, ...defaults }) => {
  const served = await serveCoordinator({
    defaults,
    ...(maxSessions === undefined ? {} : { maxSessions }),
    ...(maxKeptExited === undefined ? {} : { maxKeptExited }),
  });
  const coordinator = await connect({ socket: served.socket });
  const end = async () => {
    await coordinator.close();
    await served.end();
  };
  return { coordinator, end };
});
