import type { Clock } from '#base';
import { isKeyDriven, type OwnActivity, type SessionEvent } from '#model';
import type { Watched } from '../watched.ts';
import { awaiting, questionAsked, readerOf, shownQuestion, unsureMs } from './asked-question.ts';
import { QuietActivity } from './quiet-activity.ts';
import type { ActivityQueries } from './shared-activity.ts';
import type { ConditionCheck, ConditionMet } from './wait.ts';

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
    const asked = isList ? questionAsked(activity, unsureMs, this.#watched) : null;
    if (shown?.menu != null) this.#onMet(awaiting(shown, activity));
    else if (asked !== null) this.#onMet(asked);
  }
}
