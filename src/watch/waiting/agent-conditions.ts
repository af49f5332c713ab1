import { type Disposable, defined } from '#base';
import {
  type AgentInfo,
  type AgentState,
  menuText,
  type StatusState,
  type ToldStatus,
} from '#model';
import type { Watched } from '../watched.ts';
import type { Condition, ConditionMet } from './wait.ts';

/** The coding agent in the foreground of a session. */
export interface AgentSource {
  /** Null if there is none, or it is not known. */
  info(): AgentInfo | null;
  /** Calls `listener` after each change. */
  onChange(listener: () => void): Disposable;
}

/** What counts as a state for which is waited. */
export interface AgentStateOptions {
  /** Whether `idle` and `asks` must have begun after the wait, which is sent with input. */
  readonly isAfterInput?: boolean;
  /** The fewest turns that must have ended for `idle`. Default: 0. */
  readonly turn?: number | undefined;
  /** A state must have begun later than this, in ms since 1970. */
  readonly afterMs?: number | undefined;
  /** The prompt with which the wait is sent. */
  readonly prompt?: SubmittedPrompt | undefined;
}

/** A prompt with which a wait is sent. */
export interface SubmittedPrompt {
  readonly text: string;
  /** Settles when it is submitted. */
  readonly submitted: Promise<unknown>;
}

/** The output that ends an Enter is drawn within this time, in ms. */
const takenMs = 500;

/** Tells whether an agent has done anything after a prompt. */
class SincePrompt {
  readonly #watched: Watched;
  readonly #text: string;
  readonly #rowsBefore: ReadonlySet<string>;
  /** When the prompt was submitted, in ms since 1970; null until it is. */
  submittedMs: number | null = null;
  readonly #beganMs: number;
  /** How many turns had ended when the wait began. */
  readonly #turn: number;
  #hasWorked = false;

  /** @param beganMs when the wait began, in ms since 1970 */
  constructor(watched: Watched, { text }: SubmittedPrompt, beganMs: number, turn: number) {
    this.#watched = watched;
    this.#beganMs = beganMs;
    this.#turn = turn;
    this.#text = lettersOf(text);
    this.#rowsBefore = new Set(watched.screenRows().map(lettersOf));
  }

  /** Must be called with each state. */
  note({ state, sinceMs, turn, evidence }: AgentInfo): void {
    const isNew = sinceMs >= this.#beganMs;
    const isSaid = isNew && evidence.some(({ rule }) => rule === 'reported');
    // What a hook has reported before the prompt is no evidence when the turn of that ends.
    const isReported = isNew && turn > this.#turn && evidence.some(({ rule }) => rule === 'report');
    this.#hasWorked ||= state === 'busy' || state === 'asks' || isSaid || isReported;
  }

  /** Whether nothing but the prompt itself was drawn. */
  get isStalled(): boolean {
    const { submittedMs } = this;
    if (this.#hasWorked || submittedMs === null) return false;
    if ((this.#watched.lastOutputAtMs ?? 0) > submittedMs + takenMs) return false;
    const rows = this.#watched.screenRows().map(lettersOf);
    return rows.every((row) => this.#rowsBefore.has(row) || this.#text.includes(row));
  }
}

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '');

/** Met while the agent is in one of these states. */
export const agentIs = (
  source: AgentSource,
  states: readonly AgentState[],
  { isAfterInput = false, turn = 0, afterMs = 0, prompt }: AgentStateOptions = {},
): Condition => ({
  start(watched, clock, onMet) {
    const beganMs = clock.wallMs();
    const turnsBefore = source.info()?.turn ?? 0;
    const since = prompt && new SincePrompt(watched, prompt, beganMs, turnsBefore);
    const counts = ({ state, sinceMs, turn: ended }: AgentInfo): boolean => {
      if (!states.includes(state) || sinceMs <= afterMs) return false;
      if (state !== 'idle' && state !== 'asks') return true;
      if (isAfterInput && sinceMs < beganMs) return false;
      return state === 'asks' || (ended >= turn && since?.submittedMs !== null);
    };
    const check = () => {
      const agent = source.info();
      if (agent === null) return;
      since?.note(agent);
      if (!counts(agent)) return;
      const isStalled = agent.state === 'idle' && since?.isStalled === true;
      if (agent.state === 'asks') onMet(asking(agent));
      else onMet({ outcome: isStalled ? 'stalled' : 'agent', agent });
    };
    const changes = source.onChange(check);
    prompt?.submitted.then(
      () => {
        if (since !== undefined) since.submittedMs = clock.wallMs();
        check();
      },
      () => {},
    );
    check();
    return {
      onEvent: () => {},
      onTimeout: () => (source.info() === null ? { noAgent: true } : {}),
      dispose: () => changes.dispose(),
    };
  },
});

/** Met when the agent asks, or is idle and waits for a prompt. */
export const agentAsks = (source: AgentSource, options: AgentStateOptions): Condition =>
  agentIs(source, ['asks', 'idle'], options);

const asking = (agent: AgentInfo): ConditionMet => {
  const { kind, question = '', questionId, menu } = agent;
  const text = menu === undefined ? question : menuText({ ...menu, title: menu.title || question });
  return {
    outcome: 'awaiting_input',
    question: text,
    program: kind,
    agent,
    ...defined({ menu, questionId }),
  };
};

/** Returns a condition that does not count while an agent is in the foreground, whose state tells more. */
export const withoutAgent = (condition: Condition, source: AgentSource): Condition => ({
  start: (watched, clock, onMet, since) =>
    condition.start(watched, clock, (met) => source.info() === null && onMet(met), since),
});

/** What the program in the foreground of a session says that it does. */
export interface StatusSource {
  /** Null if it says nothing. */
  status(): ToldStatus | null;
  /** Returns another text each time that it says something, also if it says the same again. */
  turn(): string;
  /** Calls `listener` after each change, and perhaps without one. */
  onChange(listener: () => void): Disposable;
}

/**
 * Met while the program says that it is in one of these states.
 *
 * @param isAfterInput whether what it said before the wait, which is sent with input, does not count
 */
export function statusIs(
  source: StatusSource,
  states: readonly StatusState[],
  isAfterInput: boolean,
): Condition {
  return {
    start(_watched, _clock, onMet) {
      const before = isAfterInput ? source.turn() : null;
      const check = () => {
        const programStatus = source.status();
        if (source.turn() === before) return;
        if (programStatus === null || !states.includes(programStatus.state)) return;
        onMet({ outcome: 'status', programStatus });
      };
      const changes = source.onChange(check);
      check();
      return { onEvent: () => {}, dispose: () => changes.dispose() };
    },
  };
}
