export { checkPattern, checkProgram } from '#coordinator';
export { bindingInUse, leftPrograms, limitsOfStart } from '#pty/hosted';
export { checkSavedSessions } from './daemon-coordinator.ts';
export { embedCoordinator } from './embed-coordinator.ts';
export { endLeft } from './end-left.ts';
export { runDaemon } from './run-daemon.ts';
export { claimHolder, isHolderSuspended } from './start/claim.ts';
export { isListenerStuck, listenerPid } from './stuck-process.ts';
