import type { Clock } from '#base';
import { isKeyDriven, type OwnActivity, type SessionEvent } from '#model';
import type { Watched } from '../watched.ts';
import {
  awaiting,
  blockedMs,
  questionAsked,
  readerOf,
  readingMs,
  shownQuestion,
  unsureMs,
} from './asked-question.ts';
import { QuietActivity } from './quiet-activity.ts';
import type { ActivityQueries } from './shared-activity.ts';
import type { Condition, ConditionCheck, ConditionMet } from './wait.ts';

/**
 * Met when the program waits for input: a question, a pager, a REPL; also when a shell shows its
 * prompt. See docs/adr/0029 for the rules.
 *
 * @param queries null if the activity cannot be queried; the condition is then never met
 * @param isForOther whether another condition of the wait reports this as a prompt or an end: it comes first
 */
export function programAsks(
  queries: ActivityQueries | null,
  isForOther: (activity: OwnActivity, quietMs: number) => boolean = () => false,
): Condition {
  return {
    start: (watched, clock, onMet) => new AsksCheck(watched, clock, onMet, queries, isForOther),
  };
}

class AsksCheck implements ConditionCheck {
  readonly #watched: Watched;
  readonly #onMet: (met: ConditionMet) => void;
  readonly #isForOther: (activity: OwnActivity, quietMs: number) => boolean;
  readonly #quiet: QuietActivity;
  readonly #beside: BesideSpinner;

  constructor(
    watched: Watched,
    clock: Clock,
    onMet: (met: ConditionMet) => void,
    queries: ActivityQueries | null,
    isForOther: (activity: OwnActivity, quietMs: number) => boolean,
  ) {
    this.#watched = watched;
    this.#onMet = onMet;
    this.#isForOther = isForOther;
    this.#quiet = new QuietActivity(
      watched,
      clock,
      queries,
      [blockedMs, readingMs],
      () => true,
      (activity, quietMs) => this.#onActivity(activity, quietMs),
    );
    const isSpinning = () => this.#quiet.quietMs < readingMs;
    this.#beside = new BesideSpinner(watched, clock, onMet, queries, isSpinning);
  }

  onEvent(event: SessionEvent): void {
    this.#quiet.onEvent(event);
    this.#beside.onEvent(event);
  }

  dispose(): void {
    this.#quiet.dispose();
    this.#beside.dispose();
  }

  #onActivity(activity: OwnActivity | null, quietMs: number): void {
    if (activity === null || this.#isForOther(activity, quietMs)) return;
    const question = questionAsked(activity, quietMs, this.#watched);
    if (question !== null)
      this.#onMet(this.#isAtPrompt(activity) ? { outcome: 'prompt' } : question);
  }

  /** Whether the shell is at its prompt, and nothing has been typed there. */
  #isAtPrompt({ state, evidence }: OwnActivity): boolean {
    const { lastInputAt, outputEnd, commands } = this.#watched;
    // The command that the shell runs has not ended at the prompt of a program inside the shell.
    const isShell = evidence.leaderInForeground !== false && evidence.shellMark !== 'command';
    const isNew =
      commands.prompt === null ? outputEnd > lastInputAt : commands.prompt.offset >= lastInputAt;
    return state === 'at_prompt' && isShell && isNew;
  }
}

/**
 * Finds what a program asks while a spinner turns, which ends the silence of other checks: a menu that
 * stays for a second, or a list that takes keys while it is loaded.
 */
export class BesideSpinner implements ConditionCheck {
  readonly #watched: Watched;
  readonly #onMet: (met: ConditionMet) => void;
  readonly #quiet: QuietActivity;

  /** @param isSpinning whether the silence of the other check has just ended */
  constructor(
    watched: Watched,
    clock: Clock,
    onMet: (met: ConditionMet) => void,
    queries: ActivityQueries | null,
    isSpinning: () => boolean,
  ) {
    this.#watched = watched;
    this.#onMet = onMet;
    this.#quiet = new QuietActivity(
      watched,
      clock,
      queries,
      [unsureMs],
      isSpinning,
      (activity) => this.#onActivity(activity),
      { ignore: [], countClocks: false, maskSpinners: true },
    );
  }

  onEvent(event: SessionEvent): void {
    this.#quiet.onEvent(event);
  }

  dispose(): void {
    this.#quiet.dispose();
  }

  #onActivity(activity: OwnActivity | null): void {
    if (activity === null) return;
    const shown = shownQuestion(activity, this.#watched);
    const isList = isKeyDriven(readerOf(activity));
    const condition = isList ? questionAsked(activity, unsureMs, this.#watched) : null;
    if (shown?.menu != null) this.#onMet(awaiting(shown, activity));
    else if (condition !== null) this.#onMet(condition);
  }
}
