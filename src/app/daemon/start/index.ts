export { beginDaemon } from './begin-daemon.ts';
export { claimHolder } from './claim.ts';
export { isAlive } from './process-identity.ts';
