import type { SessionInfo } from './session.ts';

/** What a session asks, for a person who answers in the list. */
export interface Question {
  readonly kind: 'input' | 'password' | 'prompt';
  /** In ms since 1970. */
  readonly sinceMs: number;
  /** The line that is shown; empty if it is unknown. */
  readonly text: string;
  /** Whether the program reads whole lines, so that an answer needs Enter. */
  readonly readsLines: boolean;
}

/**
 * Returns whether a session waits for an answer: its program reads an input or a password, or shows a
 * question by which it wants somebody.
 */
export function isWaiting({ activity, attention, agent, exitStatus }: SessionInfo): boolean {
  if (exitStatus !== null) return false;
  // An agent reads its terminal in all states.
  if (agent !== undefined) return agent.state === 'asks';
  const { state } = activity ?? {};
  if (state === 'awaiting_input' || state === 'password') return true;
  return attention?.kind === 'input' || attention?.kind === 'password';
}

/** Returns what a session asks now; null if it waits for nothing. */
export function questionOf({ activity, attention }: SessionInfo): Question | null {
  if (activity === undefined) return null;
  const readsLines = activity.evidence.canonical !== false;
  if (attention?.kind === 'input' || attention?.kind === 'password') {
    const { kind, sinceMs, evidence: text } = attention;
    return { kind, sinceMs, text, readsLines };
  }
  const { state, sinceMs } = activity;
  if (state === 'at_prompt') return { kind: 'prompt', sinceMs, text: '', readsLines };
  if (state === 'password') return { kind: 'password', sinceMs, text: '', readsLines };
  return state === 'awaiting_input' ? { kind: 'input', sinceMs, text: '', readsLines } : null;
}

/** Returns whether a session still asks what a person has read. */
export function isStillAsked(question: Question, info: SessionInfo): boolean {
  const asked = questionOf(info);
  return (
    asked !== null &&
    asked.kind === question.kind &&
    asked.sinceMs === question.sinceMs &&
    asked.text === question.text
  );
}

/** Returns the text that answers a question with yes or no, or with a line. */
export const replyText = (question: Question, reply: string, isLine: boolean): string =>
  isLine || question.readsLines ? `${reply}\r` : reply;
