export { type ConnectOptions, connect } from './connect.ts';
export { afterEnding, callOrStart, isNotRunning } from './daemon-calls.ts';
export { daemonStuck, type IsStuck } from './daemon-stuck.ts';
export { OwnCoordinator, type OwnCoordinatorOptions } from './own-coordinator.ts';
export {
  backgroundVariable,
  type DaemonReport,
  daemonCommand,
  ifLeft,
  type MayStart,
  reachDaemon,
  startDaemon,
} from './start-daemon.ts';
