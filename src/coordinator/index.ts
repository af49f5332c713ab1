export { checkProgram, type PtyHost, scrollbackLimits } from '#session';
export { LocalCoordinator, type LocalCoordinatorOptions } from './local-coordinator.ts';
export { checkPattern } from './patterns.ts';
