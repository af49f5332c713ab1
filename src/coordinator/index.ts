export { checkProgram, loginTemporaryDirectory, scrollbackLimits } from '#session';
export { checkPattern } from '#watch';
export type { CoordinatorCounts } from './counting.ts';
export { LocalCoordinator } from './local-coordinator.ts';
export type { LocalCoordinatorOptions, OwnAction } from './local-coordinator-options.ts';
export type { ConversationSearch } from './starting/resuming.ts';
export { systemClock } from './system-clock.ts';
