export { type CommandRequest, type DaemonFacts, JsonCoordinator } from './json-coordinator.ts';
