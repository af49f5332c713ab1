import type { AgentEvidence } from '#model';

/**
 * The part of a screen in which a rule looks for its pattern, row by row and without the blanks around a row:
 *
 * - `title`: the title of the terminal, as this agent has set it
 * - `over`: the last rows with text above the composer; without a composer, those of `end`
 * - `composer`: the text in the composer
 * - `footer`: the rows below the composer
 * - `end`: the last rows with text, wherever the composer is
 */
export const regions = ['title', 'over', 'composer', 'footer', 'end'] as const;
export type Region = (typeof regions)[number];

/** A pattern that is evidence for a state. */
export interface AgentRule {
  /** Names the rule among those of its kind, such as `title-idle`. */
  readonly id: string;
  readonly claim: AgentEvidence['state'];
  readonly strength: AgentEvidence['strength'];
  readonly where: Region;
  /** In RE2 syntax. */
  readonly match: string;
}

/** A pattern whose groups are the numbers of shells, sub-agents or tasks that go on behind an idle composer. */
export interface BackgroundRule {
  readonly where: Region;
  /** In RE2 syntax. */
  readonly match: string;
}

/** What is known of a kind of coding agents. */
export interface AgentKind {
  /** Its id, such as `claude`. */
  readonly kind: string;
  /** As people call it, such as `Claude Code`. */
  readonly name: string;
  /** The versions with which the rules were tried, the newest first. */
  readonly checkedWith: readonly string[];
  /** File names of its program. */
  readonly executables: readonly string[];
  /** Packages that contain its program, such as `@openai/codex`. */
  readonly packages: readonly string[];
  readonly rules: readonly AgentRule[];
  readonly background: readonly BackgroundRule[];
}
