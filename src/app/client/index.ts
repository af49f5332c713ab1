export { type ConnectOptions, connect } from './connect.ts';
export {
  afterEnding,
  callOrStart,
  daemonStuck,
  type IsStuck,
  isNotRunning,
} from './daemon-calls.ts';
export { OwnCoordinator, type OwnCoordinatorOptions } from './own-coordinator.ts';
export {
  asSuccessor,
  backgroundVariable,
  type DaemonReport,
  daemonCommand,
  ifLeft,
  type MayStart,
  nodeArgs,
  reachDaemon,
  startDaemon,
} from './start-daemon.ts';
