export { callOrStart, isNotRunning } from './daemon-calls.ts';
export { OwnCoordinator } from './own-coordinator.ts';
export { backgroundVariable, type DaemonReport, startDaemon } from './start-daemon.ts';
