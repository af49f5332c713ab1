import type { Menu } from './menu.ts';

/**
 * What a coding agent does:
 *
 * - `idle`: it shows its composer and can be prompted.
 * - `busy`: it works on a turn.
 * - `asks`: it waits for a permission, an answer, trust or a login.
 * - `unknown`: the evidence is missing, or contradicts itself.
 */
export type AgentState = 'idle' | 'busy' | 'asks' | 'unknown';

/** One piece of evidence for a state of an agent. */
export interface AgentEvidence {
  readonly state: Exclude<AgentState, 'unknown'>;
  /** `strong` evidence decides. What only `supports` decides nothing alone, and can refute. */
  readonly strength: 'strong' | 'supports';
  /** The id of a rule of the agent's kind, or of a way to find evidence that all kinds share. */
  readonly rule: string;
  /** The text in which it was found: one line, sanitized, at most 200 characters. */
  readonly text: string;
}

/** The coding agent in the foreground of a session. */
export interface AgentInfo {
  /** The id of the kind, such as `claude`. */
  readonly kind: string;
  readonly state: AgentState;
  /** When the state began, in ms since 1970. */
  readonly sinceMs: number;
  /** How many turns have ended since the coordinator knows the agent: it was busy, and then idle or asked. */
  readonly turn: number;
  /** Shells, sub-agents and tasks that go on behind an idle composer. Absent: none are known. */
  readonly background?: number;
  /** What it asks, in one line; absent if it asks nothing. */
  readonly question?: string;
  /** The choices of the question; absent if it has none. */
  readonly menu?: Menu;
  /** Why the state is what it is; for `unknown` the evidence that contradicts itself. */
  readonly evidence: readonly AgentEvidence[];
}
