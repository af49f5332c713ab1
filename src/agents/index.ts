export {
  type AgentHooks,
  type AgentKind,
  type AgentResume,
  type AgentRule,
  type AgentStart,
  type BackgroundRule,
  hookFormats,
  regions,
} from './agent-kind.ts';
export {
  AgentTracker,
  type KnownTitle,
  type SavedAgent,
  savedAgent,
} from './agent-tracker.ts';
export type { AgentReport } from './claims.ts';
export { draftIn } from './composer.ts';
export { agentStateOn } from './decide.ts';
export { explainScreen } from './explain.ts';
export { agentOf } from './identify.ts';
export {
  agentPlace,
  conversationInArguments,
  isConversationId,
  type ResumeWay,
  resumedCommand,
  resumedLine,
} from './resume.ts';
export { sceneOf } from './scene.ts';
