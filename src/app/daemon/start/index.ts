export { beginDaemon } from './begin-daemon.ts';
export { claimHolder, isServed } from './claim.ts';
export { readPidFile } from './pid-file.ts';
export { isAlive, statFields } from './process-identity.ts';
export { checkHostsRespond, probePtyHosts } from './pty-host-probes.ts';
