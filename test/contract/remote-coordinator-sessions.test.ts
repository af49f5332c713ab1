import { startRemoteCoordinator } from '../support/service/remote-coordinator.ts';
import { coordinatorSessionsContract } from './coordinator.ts';

coordinatorSessionsContract('a remote coordinator with a PTY host', startRemoteCoordinator);
