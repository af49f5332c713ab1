import type { AgentEvidence, AgentState } from '#model';
import type { ShownScreen } from '#watch';
import type { AgentKind } from './agent-kind.ts';
import { backgroundOf, claimsOf, type Signs } from './claims.ts';
import { sceneOf } from './scene.ts';

/** A composer proves nothing while the rows around it move, and for a time after, in ms. */
export const settled = {
  /** If nothing else says the same. */
  aloneMs: 1_500,
  /** If other evidence, such as the title, says the same. */
  supportedMs: 200,
  /** If the agent says the same itself (OSC 7501): the rest of its screen may be in the next write. */
  saidMs: 80,
  /** While the agent starts, unless it says the same itself: several show a composer before their first dialog. */
  firstMs: 2_000,
} as const;

export interface Decision {
  readonly state: AgentState;
  /** What decided; for `unknown` what contradicts itself. */
  readonly evidence: readonly AgentEvidence[];
  /** Why the evidence decides nothing; set for `unknown`. */
  readonly doubt?: string;
}

/**
 * Returns the state for which the evidence is. A question decides, except beside a composer: there only one that the
 * agent asks itself (OSC 7501) does. Then comes work, except against other evidence than the composer, which many agents
 * show while they work. An agent is idle only by evidence of its own.
 *
 * @param stillMs as {@link Signs.stillMs}
 * @param starts whether no state of the agent has been known yet
 */
export function decide(
  claims: readonly AgentEvidence[],
  stillMs: number | null,
  starts = false,
): Decision {
  const of = (state: AgentEvidence['state']) => claims.filter((claim) => claim.state === state);
  const strong = (state: AgentEvidence['state']) =>
    of(state).filter(({ strength }) => strength === 'strong');
  const isComposer = ({ rule }: AgentEvidence) => rule === 'composer';
  const isReport = ({ rule }: AgentEvidence) => rule === 'reported' || rule === 'report';
  // A hook that reports the end of a turn may be followed by more work, which has no hook.
  const isOldWord = ({ rule }: AgentEvidence) => rule === 'report';
  const asks = strong('asks');
  if (asks.length > 0) {
    // A composer is shown with some of them: Claude Code asks for a login, whose command is typed there.
    const isSaid = asks.some(({ rule }) => rule === 'reported');
    const field = isSaid ? [] : strong('idle').filter(isComposer);
    return field.length > 0
      ? unknown('a question is shown, and a composer with the cursor in it', asks, field)
      : { state: 'asks', evidence: asks };
  }
  const busy = strong('busy');
  if (busy.length > 0) {
    // A title may come later than what the agent says itself.
    const against = busy.some(isReport)
      ? []
      : of('idle').filter((claim) => !isComposer(claim) && !isOldWord(claim));
    return against.length > 0
      ? unknown('claims of work and of rest contradict each other', busy, against)
      : { state: 'busy', evidence: busy };
  }
  const idle = strong('idle');
  const against = of('busy');
  if (idle.length === 0) return unknown('no strong claim tells a state', claims);
  // What the agent says itself is not refuted by a sign that stands still, which it may quote.
  if (against.length > 0 && !idle.some(isReport)) {
    return unknown('a composer is shown, and a weak claim of work', idle, against);
  }
  const isSupported = of('idle').some((claim) => !isComposer(claim));
  const shownMs = isSupported ? settled.supportedMs : settled.aloneMs;
  const neededMs = idle.some(({ rule }) => rule === 'reported')
    ? settled.saidMs
    : starts
      ? settled.firstMs
      : shownMs;
  if (stillMs !== null && stillMs < neededMs) {
    return unknown(`the screen must stand still for ${neededMs} ms`, idle);
  }
  return { state: 'idle', evidence: [...idle, ...supporting(of('idle'))] };
}

const supporting = (claims: readonly AgentEvidence[]): AgentEvidence[] =>
  claims.filter(({ strength }) => strength === 'supports');

const unknown = (doubt: string, ...evidence: readonly (readonly AgentEvidence[])[]): Decision => ({
  state: 'unknown',
  evidence: evidence.flat(),
  doubt,
});

/** What is known beside a screen that is saved: no more than its titles. */
export const screenSigns = (titles: Pick<Signs, 'title' | 'earlierTitles'>): Signs => ({
  ...titles,
  stillMs: null,
  statuses: [],
  lastEnterAt: 0,
});

/** What a saved screen tells of an agent. */
export interface ShownState extends Decision {
  /** All evidence, also what did not decide. */
  readonly claims: readonly AgentEvidence[];
  readonly background: number;
}

/**
 * Returns the state of an agent by a screen alone, as one that is saved: without time, and without what the agent said
 * itself.
 *
 * @param kind null: the rules that all kinds share
 */
export function agentStateOn(
  screen: ShownScreen,
  titles: Pick<Signs, 'title' | 'earlierTitles'>,
  kind: AgentKind | null,
): ShownState {
  const scene = sceneOf(screen);
  const signs = screenSigns(titles);
  const claims = claimsOf(scene, signs, kind);
  const background = backgroundOf(scene, signs, kind?.background ?? []);
  return { ...decide(claims, null), claims, background };
}
