import { startLocalCoordinator } from '../support/session/local-coordinator.ts';
import { coordinatorProgramsContract } from './coordinator.ts';

// A remote coordinator with a PTY host passes the whole contract, with the same class behind the socket.
coordinatorProgramsContract('LocalCoordinator', startLocalCoordinator);
