import { defined } from '#base';
import {
  type AgentEvidence,
  type AgentExplanation,
  type ExplainedClaim,
  evidenceText,
  type NearMiss,
} from '#model';
import { Pattern, type ShownScreen } from '#watch';
import { type AgentKind, type AgentRule, type Region, regions } from './agent-kind.ts';
import { backgroundOf, isStale, type Signs } from './claims.ts';
import { agentStateOn, type Decision, screenSigns } from './decide.ts';
import { type Scene, sceneOf } from './scene.ts';

/** What was known when a state was decided. */
export interface Look {
  readonly scene: Scene;
  readonly signs: Signs;
  readonly claims: readonly AgentEvidence[];
  readonly decision: Decision;
  /** As {@link Signs.stillMs}. */
  readonly stillMs: number | null;
  /** Returns for how long a claim has been made without a break, in ms; null for a screen alone. */
  ageOf(claim: AgentEvidence): number | null;
}

/**
 * Explains the state of an agent by a screen alone, as `agentStateOn` decides it.
 *
 * @param kind null: the rules that all kinds share
 */
export function explainScreen(
  screen: ShownScreen,
  titles: Pick<Signs, 'title' | 'earlierTitles'>,
  kind: AgentKind | null,
): AgentExplanation {
  const { claims, background: _, ...decision } = agentStateOn(screen, titles, kind);
  const scene = sceneOf(screen);
  const signs = screenSigns(titles);
  return explainLook({ scene, signs, claims, decision, stillMs: null, ageOf: () => null }, kind);
}

/** Explains a state by what it was decided from. @param kind null: the rules that all kinds share */
export function explainLook(look: Look, kind: AgentKind | null): AgentExplanation {
  const { scene, signs, claims, decision, stillMs } = look;
  const { title, earlierTitles } = signs;
  const rows: RowsOf = { title: title === null ? [] : [title], ...scene.rows };
  const rules = kind?.rules ?? [];
  const ruleSet = new Set(claims.map(({ rule }) => rule));
  const { state, doubt } = decision;
  return {
    state,
    ...defined({ doubt, stillMs: stillMs ?? undefined }),
    background: backgroundOf(scene, signs, kind?.background ?? []),
    claims: claims.map(
      (claim): ExplainedClaim => ({
        ...claim,
        text: evidenceText(claim.text),
        ...sourceOf(rules.find(({ id }) => id === claim.rule)),
        ...defined({ ageMs: look.ageOf(claim) ?? undefined, lost: lossOf(claim, look) }),
      }),
    ),
    near: rules
      .filter(({ id }) => !ruleSet.has(id))
      .flatMap((rule) => nearOf(rule, rows, earlierTitles)),
    regions: regions.map((where) => ({ where, rows: rows[where] })),
  };
}

type RowsOf = Readonly<Record<Region, readonly string[]>>;

const sourceOf = (rule: AgentRule | undefined): Pick<ExplainedClaim, 'where' | 'file'> =>
  defined({ where: rule?.where, file: rule?.file });

/** Returns why a claim does not decide; undefined if it does. */
function lossOf(claim: AgentEvidence, look: Look): string | undefined {
  const { decision, scene } = look;
  const { rule, state } = claim;
  if (claim.strength === 'strong') {
    const [first] = decision.evidence;
    if (first === undefined || decision.evidence.includes(claim)) return undefined;
    return `${first.state} ${first.rule} comes first`;
  }
  if (rule === 'composer') return 'the cursor is not in it';
  if (rule === 'working-row' && scene.composer === null) return 'no composer is shown';
  if (state === 'busy' && isStale(look.stillMs)) return 'nothing moves';
  if (rule === 'title-spins') return 'its sign was not seen to turn';
  if (rule === 'reported') return 'input came after it';
  if (rule === 'report') return 'a hook alone does not prove it, or input came after it';
  return 'it only supports';
}

/** Returns where else a rule matches, or how it would match where it looks. */
function nearOf(rule: AgentRule, rows: RowsOf, earlierTitles: readonly string[]): NearMiss[] {
  const { id, claim, where, match } = rule;
  const matching = (texts: readonly string[], written = match) => {
    const pattern = new Pattern(written);
    return texts.find((text) => pattern.findTouching(text, 0, text.length) !== null);
  };
  const miss = (text: string, why: string): NearMiss[] => [
    { ...sourceOf(rule), rule: id, state: claim, where, text: evidenceText(text), why },
  ];
  const title = where === 'title' ? matching(earlierTitles) : undefined;
  if (title !== undefined) return miss(title, 'it matches a title that was replaced');
  for (const region of regions) {
    const text = region === where ? undefined : matching(rows[region]);
    if (text === undefined) continue;
    return miss(text, `it matches in ${region}, and the rule is for ${where}`);
  }
  const inOtherCase = matching(rows[where], `(?i)${match}`);
  if (inOtherCase !== undefined) return miss(inOtherCase, 'it matches if case is ignored');
  const inside = withoutAnchors(match);
  const part = inside === match ? undefined : matching(rows[where], inside);
  return part === undefined ? [] : miss(part, 'it matches without ^ and $');
}

/** A pattern that also matches inside a text. */
const withoutAnchors = (match: string): string =>
  match.replace(/^\^/u, '').replace(/(?<!\\)\$$/u, '');
