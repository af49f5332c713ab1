export { LocalCoordinator, type LocalCoordinatorOptions } from './local-coordinator.ts';
