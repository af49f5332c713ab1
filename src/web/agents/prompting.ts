import { defined } from '#base';
import { errorText, LinkError } from '../link/link.ts';
import { keep, readKept } from '../page/kept.ts';
import { type Answering, typingView } from './answering.ts';

/** What became of a prompt. */
export interface PromptResult {
  readonly isSent: boolean;
  /** For people. */
  readonly text: string;
  /** How it can be sent all the same. */
  readonly retry?: PromptWay;
}

/** `queue`: while the agent is busy, too. `replace`: in place of a text in its composer. */
export type PromptWay = 'queue' | 'replace';

const labels: Readonly<Record<string, Omit<PromptResult, 'isSent'>>> = {
  AGENT_NOT_IDLE: { text: 'Not sent: it is busy', retry: 'queue' },
  DRAFT_SHOWN: { text: 'Not sent: its composer has another text', retry: 'replace' },
  MENU_SHOWN: { text: 'Not sent: it asks something first' },
};

/** Gives a prompt to the agent of a session, and returns whether it has taken it. */
export async function givePrompt(
  answering: Answering,
  text: string,
  way?: PromptWay,
): Promise<PromptResult> {
  const { name, id } = answering.info;
  try {
    const view = await typingView(answering);
    try {
      const { submitted = false, turn } = await answering.app.link.call('SendText', {
        name,
        sessionId: id,
        text,
        submit: true,
        viewer: view.id,
        inputId: `web-${crypto.randomUUID()}`,
        ...defined({
          queue: way === 'queue' || undefined,
          replaceDraft: way === 'replace' || undefined,
        }),
      });
      if (!submitted) return { isSent: false, text: 'Typed, but the agent has not taken it' };
      if (way === 'queue') return { isSent: true, text: 'queued ✓' };
      return { isSent: true, text: turn === undefined ? 'sent ✓' : `sent ✓ turn ${turn}` };
    } finally {
      view.close();
    }
  } catch (error) {
    const reason = error instanceof LinkError ? labels[error.code] : undefined;
    return { isSent: false, ...(reason ?? { text: `Not sent: ${errorText(error)}` }) };
  }
}

/** The sessions whose prompts this browser keeps, and how many of each. */
const maxSessions = 30;
const maxPrompts = 50;
const key = 'prompts';

type Prompts = readonly (readonly [sessionId: string, prompts: readonly string[]])[];

/** The prompts that were given in a session, which this browser keeps. */
export class PromptHistory {
  readonly #sessionId: string;
  #prompts: string[];
  /** Which of them is shown; their number for the new one. */
  #at: number;
  /** What was being written when an older one was asked for. */
  #draft = '';

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
    this.#prompts = [...(read().find(([id]) => id === sessionId)?.[1] ?? [])];
    this.#at = this.#prompts.length;
  }

  add(prompt: string): void {
    this.#prompts = [...this.#prompts.filter((each) => each !== prompt), prompt].slice(-maxPrompts);
    this.#at = this.#prompts.length;
    this.#draft = '';
    const others = read().filter(([id]) => id !== this.#sessionId);
    keep(key, [...others, [this.#sessionId, this.#prompts]].slice(-maxSessions));
  }

  /** Returns the prompt before or after the one that is shown; null for none. @param text that is shown */
  step(by: -1 | 1, text: string): string | null {
    const to = this.#at + by;
    if (to < 0 || to > this.#prompts.length) return null;
    if (this.#at === this.#prompts.length) this.#draft = text;
    this.#at = to;
    return this.#prompts[to] ?? this.#draft;
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** Returns what was kept, as far as it is valid. */
function read(): Prompts {
  const all = readKept(key);
  if (!Array.isArray(all)) return [];
  return all.filter(
    (each): each is [string, string[]] =>
      Array.isArray(each) && typeof each[0] === 'string' && isTexts(each[1]),
  );
}
