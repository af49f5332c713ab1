export { readAgentKinds } from './read-agent-kinds.ts';
