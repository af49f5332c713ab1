export {
  type CommandRequest,
  type DaemonFacts,
  JsonCoordinator,
  type LinesFound,
  type ScreenRead,
  type SearchRequest,
} from './json-coordinator.ts';
