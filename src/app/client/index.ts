export { callOrStart, isNotRunning } from './daemon-calls.ts';
export { OwnCoordinator } from './own-coordinator.ts';
export {
  backgroundVariable,
  type DaemonReport,
  type DaemonStarts,
  daemonStarts,
  startDaemon,
  startIfLeft,
} from './start-daemon.ts';
