export { explainScreen } from '#agents';
export { checkPattern, checkProgram } from '#coordinator';
export { bindingInUse, leftPrograms, limitsOfStart } from '#pty/hosted';
export {
  readAgentKinds,
  readKindUpdates,
  removeKindUpdates,
  takeKindUpdates,
} from './agent-kinds.ts';
export { checkSavedSessions, removeDamagedSessions } from './daemon-coordinator.ts';
export { embedCoordinator } from './embed-coordinator.ts';
export { endLeft } from './end-left.ts';
export { runDaemon } from './run-daemon.ts';
export { claimHolder } from './start/claim.ts';
export { listenerPid, listenerStuck, silenceOf } from './stuck-process.ts';
