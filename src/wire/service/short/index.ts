export { newInputId } from '../client/repeats.ts';
export { silenceLimitMs } from '../client/silence-limits.ts';
export type { CommandRequest } from '../convert/spawn.ts';
export { askCommand } from './ask-command.ts';
export { JsonCoordinator } from './json-coordinator.ts';
