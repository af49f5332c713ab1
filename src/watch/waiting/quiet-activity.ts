import type { Clock, Disposable } from '#base';
import type { OwnActivity, SessionEvent } from '#model';
import type { Watched } from '../watched.ts';
import type { Masks } from './screen-changes.ts';
import type { ActivityQueries } from './shared-activity.ts';
import { Silence } from './silence.ts';

const onlyClocks: Masks = { ignore: [], countClocks: false };

/** The silence between two later queries, in ms. */
const laterMs = 1_000;

/**
 * Queries a session's activity each time the screen has not changed for a while. A change of the
 * screen or an input begins the silence again.
 */
export class QuietActivity implements Disposable {
  readonly #watched: Watched;
  readonly #clock: Clock;
  readonly #queries: ActivityQueries | null;
  readonly #stepsMs: readonly number[];
  readonly #isNeeded: () => boolean;
  readonly #onActivity: (activity: OwnActivity | null, quietMs: number) => void;
  readonly #silence: Silence;
  #inputs: number;
  #request: Disposable | null = null;
  #isFirst = true;

  /**
   * @param queries null if the activity is not known
   * @param stepsMs the silence before the first queries, ascending; at least one
   * @param isNeeded whether the activity is of interest; if not, it is not queried before the screen
   * changes
   * @param onActivity called with the activity, null if it is unknown, and with the silence in ms
   * @param masks what does not end the silence; default: clocks
   */
  constructor(
    watched: Watched,
    clock: Clock,
    queries: ActivityQueries | null,
    stepsMs: readonly number[],
    isNeeded: () => boolean,
    onActivity: (activity: OwnActivity | null, quietMs: number) => void,
    masks: Masks = onlyClocks,
  ) {
    this.#watched = watched;
    this.#clock = clock;
    this.#queries = queries;
    this.#stepsMs = stepsMs;
    this.#isNeeded = isNeeded;
    this.#onActivity = onActivity;
    this.#inputs = watched.inputCount;
    this.#silence = new Silence(watched, masks, clock, () => this.#onQuiet());
    this.#silence.until(stepsMs[0] ?? laterMs);
  }

  /** For how long nothing has changed, in ms. */
  get quietMs(): number {
    return this.#clock.nowMs() - this.#silence.sinceMs;
  }

  onEvent(event: SessionEvent): void {
    if (!this.#silence.onEvent(event)) return;
    // The silence that now begins is one after the input.
    this.#inputs = this.#watched.inputCount;
    if (!this.#isFirst) this.#restart();
  }

  dispose(): void {
    this.#silence.dispose();
    this.#request?.dispose();
  }

  #restart(): void {
    this.#isFirst = true;
    this.#request?.dispose();
    this.#request = null;
    this.#silence.until(this.#stepsMs[0] ?? laterMs);
  }

  #onQuiet(): void {
    if (this.#hasNewInput()) return;
    this.#isFirst = false;
    if (!this.#isNeeded()) return;
    if (this.#queries === null) this.#answer(null);
    else this.#request = this.#queries.request((activity) => this.#answer(activity));
  }

  /** The program may not have read the input yet: the silence begins again. */
  #hasNewInput(): boolean {
    if (this.#watched.inputCount === this.#inputs) return false;
    this.#inputs = this.#watched.inputCount;
    this.#silence.restart();
    this.#restart();
    return true;
  }

  #answer(activity: OwnActivity | null): void {
    this.#request = null;
    if (this.#hasNewInput()) return;
    const { quietMs } = this;
    this.#silence.until(this.#stepsMs.find((each) => each > quietMs) ?? quietMs + laterMs);
    this.#onActivity(activity, quietMs);
  }
}
