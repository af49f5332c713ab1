export { newInputId } from '../client/repeats.ts';
export { silenceLimitMs } from '../client/silence-limits.ts';
export { type CommandRequest, JsonCoordinator } from './json-coordinator.ts';
