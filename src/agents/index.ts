export {
  type AgentHooks,
  type AgentKind,
  type AgentResume,
  type AgentRule,
  type AgentStart,
  type BackgroundRule,
  regions,
} from './agent-kind.ts';
export { AgentTracker, type KnownTitle } from './agent-tracker.ts';
export type { AgentReport } from './claims.ts';
export { agentStateOn } from './decide.ts';
export { agentOf } from './identify.ts';
