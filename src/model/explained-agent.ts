import type { AgentEvidence, AgentInfo, AgentState } from './activity.ts';
import type { Redacted, RedactRequest } from './read.ts';

export interface ExplainAgentRequest extends RedactRequest {
  /** The id of a kind, by whose rules the screen is explained. Default: the kind of the agent. */
  readonly kind?: string;
}

/** A piece of evidence, the rule that found it, and what became of it. */
export interface ExplainedClaim extends AgentEvidence {
  /** For how long it has been seen without a break, in ms. Absent for a screen alone, which has no time. */
  readonly ageMs?: number;
  /** The part of the screen in which its rule looks; absent for what all kinds share. */
  readonly where?: string;
  /** The path of the user's file that has the rule; absent if it is vtr's own. */
  readonly file?: string;
  /** Why it does not decide; absent if it does, or contradicts another claim that does. */
  readonly lost?: string;
}

/** A rule that matches almost, or elsewhere. */
export interface NearMiss {
  readonly rule: string;
  readonly state: AgentEvidence['state'];
  readonly where: string;
  readonly file?: string;
  /** What it matches. */
  readonly text: string;
  readonly why: string;
}

/** Why the state of an agent is what it is, with all that was looked at. */
export interface AgentExplanation {
  /** What the claims decide. The agent's own state can still be the one before, which `doubt` tells. */
  readonly state: AgentState;
  /** Why the state is unknown, or the one before; absent if the claims decide. */
  readonly doubt?: string;
  /** For how long nothing has moved around the composer, in ms. Absent for a screen alone. */
  readonly stillMs?: number;
  /** Shells, sub-agents and tasks that go on; 0: none are known. */
  readonly background: number;
  readonly claims: readonly ExplainedClaim[];
  readonly near: readonly NearMiss[];
  /** The parts of the screen in which rules look, with their rows that have a text. */
  readonly regions: readonly { readonly where: string; readonly rows: readonly string[] }[];
}

/** The explanation of the agent in a session. */
export interface ExplainedAgent extends AgentExplanation, Redacted {
  /** The agent as lists have it, at the same moment. Absent: none is known in the foreground. */
  readonly agent?: AgentInfo;
  /** The kind whose rules were used. Absent: only those that all kinds share. */
  readonly kind?: {
    readonly kind: string;
    readonly name: string;
    /** The versions with which its rules were tried, the newest first. */
    readonly checkedWith: readonly string[];
    /** As {@link AgentInfo.rules}. */
    readonly rules: string;
  };
}
