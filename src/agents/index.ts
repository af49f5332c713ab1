export {
  type AgentKind,
  type AgentRule,
  type BackgroundRule,
  regions,
} from './agent-kind.ts';
export { AgentTracker, type KnownTitle } from './agent-tracker.ts';
export { agentStateOn } from './decide.ts';
export { agentOf } from './identify.ts';
