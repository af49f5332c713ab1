export { checkProgram, scrollbackLimits } from '#session';
export { checkPattern } from '#watch';
export type { CoordinatorCounts } from './counting.ts';
export {
  LocalCoordinator,
  type LocalCoordinatorOptions,
  type OwnAction,
} from './local-coordinator.ts';
export type { ConversationSearch } from './starting/resuming.ts';
export { systemClock } from './system-clock.ts';
