export { type ConnectOptions, connect } from './connect.ts';
export { afterEnding, callOrStart, isNotRunning } from './daemon-calls.ts';
export { daemonStuck, type IsStuck } from './daemon-stuck.ts';
export { OwnCoordinator } from './own-coordinator.ts';
export {
  backgroundVariable,
  type DaemonReport,
  type DaemonStarts,
  daemonCommand,
  daemonStarts,
  ifLeft,
  isServedOrLeft,
  startDaemon,
  startIfLeft,
} from './start-daemon.ts';
