export { silenceLimitMs } from '../client/silence.ts';
export { type CommandRequest, JsonCoordinator } from './json-coordinator.ts';
