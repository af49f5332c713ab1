export { checkProgram, scrollbackLimits } from '#session';
export { checkPattern } from './check-pattern.ts';
export { LocalCoordinator, type LocalCoordinatorOptions } from './local-coordinator.ts';
