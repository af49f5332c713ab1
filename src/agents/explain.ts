import { defined } from '#base';
import type { AgentEvidence } from '#model';
import { Pattern, type ShownScreen } from '#watch';
import { type AgentKind, type AgentRule, type Region, regions } from './agent-kind.ts';
import type { Signs } from './claims.ts';
import { agentStateOn, type ShownState } from './decide.ts';
import { sceneOf } from './scene.ts';

/** A piece of evidence, and the rule that found it. */
export interface ExplainedClaim extends AgentEvidence {
  /** Absent for what all kinds share. */
  readonly where?: Region;
  /** The path of the user's file that has the rule; absent if it is vtr's own. */
  readonly file?: string;
  /** Why it decides nothing alone; absent if it decides. */
  readonly weak?: string;
}

/** A rule whose pattern matches something else than the rule is for. */
export interface NearMiss {
  readonly rule: string;
  readonly state: AgentEvidence['state'];
  readonly where: Region;
  readonly file?: string;
  /** What it matches. */
  readonly text: string;
  readonly why: string;
}

/** What a screen tells of an agent, with all that was looked at. */
export interface ExplainedScreen extends Omit<ShownState, 'claims' | 'evidence'> {
  readonly claims: readonly ExplainedClaim[];
  readonly near: readonly NearMiss[];
  /** The rows with text of each region, in which rules look. */
  readonly rows: Readonly<Record<Region, readonly string[]>>;
}

/**
 * Explains the state of an agent by a screen, as {@link agentStateOn} decides it.
 *
 * @param kind null: the rules that all kinds share
 */
export function explainScreen(
  screen: ShownScreen,
  titles: Pick<Signs, 'title' | 'earlierTitles'>,
  kind: AgentKind | null,
): ExplainedScreen {
  const { state, background, claims } = agentStateOn(screen, titles, kind);
  const { composer, rows } = sceneOf(screen);
  const { title } = titles;
  const all = { title: title === null ? [] : [title], ...rows };
  const rules = kind?.rules ?? [];
  const weakOf = ({ strength, rule }: AgentEvidence) => {
    if (strength === 'strong') return {};
    if (rule === 'composer') return { weak: 'the cursor is not in it' };
    if (rule === 'working-row' && composer === null) return { weak: 'no composer is shown' };
    if (rule === 'title-spins') return { weak: 'its sign was not seen to turn' };
    return { weak: 'it only supports' };
  };
  const claimed = new Set(claims.map(({ rule }) => rule));
  return {
    state,
    background,
    rows: all,
    claims: claims.map((claim) => ({
      ...claim,
      ...sourceOf(rules.find(({ id }) => id === claim.rule)),
      ...weakOf(claim),
    })),
    near: rules
      .filter(({ id }) => !claimed.has(id))
      .flatMap((rule) => nearOf(rule, all, titles.earlierTitles)),
  };
}

const sourceOf = (rule: AgentRule | undefined): Pick<ExplainedClaim, 'where' | 'file'> =>
  defined({ where: rule?.where, file: rule?.file });

/** Returns where else a rule matches. */
function nearOf(
  rule: AgentRule,
  rows: ExplainedScreen['rows'],
  earlierTitles: readonly string[],
): NearMiss[] {
  const { id, claim, where } = rule;
  const pattern = new Pattern(rule.match);
  const matching = (texts: readonly string[]) =>
    texts.find((text) => pattern.findTouching(text, 0, text.length) !== null);
  const miss = (text: string, why: string): NearMiss => ({
    ...sourceOf(rule),
    rule: id,
    state: claim,
    where,
    text,
    why,
  });
  const title = where === 'title' ? matching(earlierTitles) : undefined;
  if (title !== undefined) return [miss(title, 'it matches a title that was replaced')];
  for (const region of regions) {
    const text = region === where ? undefined : matching(rows[region]);
    if (text === undefined) continue;
    return [miss(text, `it matches in ${region}, and the rule is for ${where}`)];
  }
  return [];
}
