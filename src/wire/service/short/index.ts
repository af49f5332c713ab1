export { type CommandRequest, JsonCoordinator } from './json-coordinator.ts';
