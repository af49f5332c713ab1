export { checkPattern, checkProgram } from '#coordinator';
export { claimHolder, isHolderSuspended, isServed } from './claim.ts';
export { checkSavedSessions } from './daemon-coordinator.ts';
export { embedCoordinator } from './embed-coordinator.ts';
export { checkHostsRespond, endLeft } from './end-left.ts';
export { probePtyHosts } from './open-pty-hosts.ts';
export { readPidFile } from './pid-file.ts';
export { isAlive } from './process-identity.ts';
export { runDaemon } from './run-daemon.ts';
