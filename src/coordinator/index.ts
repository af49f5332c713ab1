export { bootId, checkProgram, scrollbackLimits } from '#session';
export { checkPattern } from '#watch';
export { LocalCoordinator, type LocalCoordinatorOptions } from './local-coordinator.ts';
export { systemClock } from './system-clock.ts';
