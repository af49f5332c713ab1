import { connect } from '#wire/grpc';
import { serveCoordinator } from '../support/served-coordinator.ts';
import { coordinatorContract } from './coordinator.ts';

coordinatorContract('a remote coordinator', async ({ maxSessions, ...defaults }) => {
  const limit = maxSessions === undefined ? {} : { maxSessions };
  const served = await serveCoordinator({ defaults, ...limit });
  const coordinator = await connect({ socket: served.socket });
  const end = async () => {
    await coordinator.close();
    await served.end();
  };
  return { coordinator, end };
});
