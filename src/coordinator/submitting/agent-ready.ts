import { draftIn, sceneOf } from '#agents';
import { type Clock, cutText, sanitize } from '#base';
import {
  type AgentInfo,
  menuText,
  type ObservedInput,
  type SendTextOptions,
  VtrError,
} from '#model';
import type { Session } from '#session';
import type { AgentSource } from '#watch';
import { screenOf, untilShown } from './until-shown.ts';

/** The coding agent of a session, to which prompts are given. */
export interface PromptedAgent extends AgentSource {
  /** Must be called when the agent has taken a prompt. @param before what it was before that */
  onPrompt(before: AgentInfo | null): void;
  /** Whether it gets a long prompt in pieces; see `AgentKind.takesPieces`. */
  takesPieces(): boolean;
}

/** The error of a prompt that would be typed into a dialog. @param question with its choices */
export const menuShown = (question: string) =>
  new VtrError(
    'MENU_SHOWN',
    `a menu is shown, and enter would choose: ${question}; nothing was typed; answer it with vtr answer, or with keys`,
    { details: { question } },
  );

/** The error of a prompt for an agent that says that it asks, and shows no choices. */
const asksElsewhere = ({ kind, question }: AgentInfo) =>
  new VtrError(
    'MENU_SHOWN',
    `${kind} asks: ${question || 'it does not say what'}; nothing was typed; read its screen, and answer it with vtr send or vtr key`,
    { details: { question: question ?? '' } },
  );

/** An agent whose state is unknown has this time to settle, in ms. */
const settleMs = 3_000;
/** A composer has this time to become empty after the keys for that, in ms. */
const clearMs = 1_000;
/** The most keys with which it is erased. */
const maxLines = 100;

interface Readiness {
  readonly queue: boolean;
  readonly draft: SendTextOptions['draft'];
  readonly how: ObservedInput;
  readonly clock: Clock;
}

/**
 * Returns when an agent can be prompted; at once if there is none.
 *
 * @throws VtrError `MENU_SHOWN`, `AGENT_NOT_IDLE`, `DRAFT_SHOWN`, and nothing is typed
 */
export async function untilReady(
  session: Session,
  agent: PromptedAgent,
  { queue, draft = 'refuse', how, clock }: Readiness,
): Promise<void> {
  if (agent.info() === null) return;
  const isKnown = () => agent.info()?.state !== 'unknown';
  await untilShown(session, clock, isKnown, settleMs, agent);
  const info = agent.info();
  if (info === null) return;
  const screen = screenOf(session);
  const { composer, question } = sceneOf(screen);
  if (question !== null)
    throw menuShown(question.menu === null ? question.question : menuText(question.menu));
  if (info.state === 'asks') throw asksElsewhere(info);
  if (info.state !== 'idle' && !queue) throw notIdle(info);
  if (composer === null || draftIn(screen, composer) === '') return;
  if (draft === 'refuse') throw draftShown(composer.text);
  await clearDraft(session, how, clock);
}

/** Erases what is in the composer, line by line. @throws VtrError `DRAFT_SHOWN` if something stays */
async function clearDraft(session: Session, how: ObservedInput, clock: Clock): Promise<void> {
  const erase = async (...keys: readonly string[]): Promise<boolean> => {
    const before = shownDraft(session);
    await session.sendKeys(keys, how);
    return untilShown(session, clock, () => shownDraft(session) !== before, clearMs);
  };
  for (let line = 0; line < maxLines; line++) {
    if (shownDraft(session) === '') return;
    // In an empty line, the key for the whole line does nothing.
    if (!(await erase('ctrl+e', 'ctrl+u')) && !(await erase('backspace'))) break;
  }
  const left = shownDraft(session);
  if (left !== '') throw draftShown(left);
}

/** Returns what is typed in the composer; empty if nothing is, or none is shown. */
export function shownDraft(session: Session): string {
  const screen = screenOf(session);
  const { composer } = sceneOf(screen);
  return composer === null ? '' : draftIn(screen, composer);
}

function notIdle({ kind, state }: AgentInfo): VtrError {
  const why = state === 'busy' ? 'is busy' : 'is not known to be idle';
  const next = state === 'busy' ? 'wait with --agent idle, or queue the prompt' : 'read its screen';
  return new VtrError('AGENT_NOT_IDLE', `${kind} ${why}; nothing was typed; ${next}`, {
    details: { state },
  });
}

function draftShown(draft: string): VtrError {
  const text = cutText(sanitize(draft.replace(/\s+/gu, ' ')).text, 200);
  const message = `the composer has a text that somebody typed: ${text}; nothing was typed; replace it, or submit it with enter`;
  return new VtrError('DRAFT_SHOWN', message, { details: { draft: text } });
}
