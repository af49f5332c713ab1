import { startRemoteCoordinator } from '../support/service/remote-coordinator.ts';
import { coordinatorOutputContract } from './coordinator.ts';

coordinatorOutputContract('a remote coordinator with a PTY host', startRemoteCoordinator);
