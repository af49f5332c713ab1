export { beginDaemon } from './begin-daemon.ts';
export { claimHolder, isServed } from './claim.ts';
export { isAlive, readPidFile, statFields } from './process-identity.ts';
export { checkHostsRespond, probePtyHosts } from './pty-host-probes.ts';
