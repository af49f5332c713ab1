import { connect } from '#wire/grpc';
import { serveCoordinator } from '../support/served-coordinator.ts';
import { terminalsContract } from './terminals.ts';

terminalsContract('a remote coordinator', async () => {
  const served = await serveCoordinator();
  const coordinator = await connect({ socket: served.socket });
  const end = async () => {
    await coordinator.close();
    await served.end();
  };
  return { coordinator, end };
});
