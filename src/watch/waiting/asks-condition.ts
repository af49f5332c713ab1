import type { Clock, Disposable } from '#base';
import type { Activity, SessionEvent, WaitOutcome } from '#model';
import { characterEnd } from '../character-borders.ts';
import type { Watched } from '../watched.ts';
import { type QueryActivity, SharedActivity } from './shared-activity.ts';
import { Silence } from './silence.ts';
import type { Condition, ConditionCheck, ConditionMet } from './wait.ts';

/** The program is checked after this much silence, in ms. */
const firstMs = 300;
/**
 * The silence before each further check, and the silence that is needed if the system does not report
 * whether the program reads its terminal, in ms.
 */
const furtherMs = 1_000;
/** The most characters of a question, in UTF-16 code units. */
const maxQuestion = 1_000;

/**
 * Met when the program waits for input: a question, a pager, a REPL; also when a shell shows its
 * prompt. See docs/adr/0041 for the rules.
 */
export function programAsks(query: QueryActivity): Condition {
  return {
    start: (watched, clock, onMet) => new AsksCheck(watched, clock, onMet, query),
  };
}

class AsksCheck implements ConditionCheck {
  readonly #watched: Watched;
  readonly #clock: Clock;
  readonly #onMet: (met: ConditionMet) => void;
  readonly #activity: SharedActivity;
  readonly #silence: Silence;
  #inputs: number;
  /** The silence after which the next check is due, in ms. */
  #dueMs = firstMs;
  #request: Disposable | null = null;
  /** Whether the first check was made without a change or an input since. */
  #isFurther = false;

  constructor(
    watched: Watched,
    clock: Clock,
    onMet: (met: ConditionMet) => void,
    query: QueryActivity,
  ) {
    this.#watched = watched;
    this.#clock = clock;
    this.#onMet = onMet;
    this.#activity = SharedActivity.of(watched, clock, query);
    this.#inputs = watched.inputCount;
    const masks = { ignore: [], countSpinners: false };
    this.#silence = new Silence(watched, masks, clock, () => this.#onQuiet());
    this.#silence.until(firstMs);
  }

  onEvent(event: SessionEvent): void {
    if (this.#silence.onEvent(event) && this.#isFurther) this.#restart();
  }

  dispose(): void {
    this.#silence.dispose();
    this.#request?.dispose();
  }

  #restart(): void {
    this.#isFurther = false;
    this.#dueMs = firstMs;
    this.#request?.dispose();
    this.#request = null;
    this.#silence.until(firstMs);
  }

  #onQuiet(): void {
    if (this.#hasNewInput()) return;
    this.#isFurther = true;
    this.#request = this.#activity.request((activity) => this.#onActivity(activity));
  }

  /** The program may not have read the input yet: the silence begins again. */
  #hasNewInput(): boolean {
    if (this.#watched.inputCount === this.#inputs) return false;
    this.#inputs = this.#watched.inputCount;
    this.#silence.restart();
    this.#restart();
    return true;
  }

  #onActivity(activity: Activity | null): void {
    this.#request = null;
    if (this.#hasNewInput()) return;
    const quietMs = this.#clock.nowMs() - this.#silence.sinceMs;
    const outcome = activity && inputNeeded(activity, quietMs, this.#isNewPrompt());
    if (outcome === null) {
      this.#dueMs = Math.max(this.#dueMs, quietMs) + furtherMs;
      this.#silence.until(this.#dueMs);
    } else if (outcome === 'prompt') this.#onMet({ outcome });
    else this.#onMet({ outcome, question: questionOf(this.#watched) });
  }

  /** Whether nothing has been typed at the prompt. */
  #isNewPrompt(): boolean {
    const { lastInputAt, outputEnd, commands } = this.#watched;
    if (commands.prompt !== null) return commands.prompt.offset >= lastInputAt;
    return outputEnd > lastInputAt;
  }
}

/**
 * Returns the input that a program needs after `quietMs` of silence; null if none, or if unknown.
 *
 * @param isNewPrompt whether nothing has been typed at a prompt that is shown
 */
function inputNeeded(
  { state, evidence }: Activity,
  quietMs: number,
  isNewPrompt: boolean,
): Extract<WaitOutcome, 'awaiting_input' | 'password' | 'prompt'> | null {
  const { readingTerminal, promptPattern } = evidence;
  if (state === 'exited' || readingTerminal === false) return null;
  const asks =
    state === 'password'
      ? 'password'
      : state === 'at_prompt' && isNewPrompt
        ? 'prompt'
        : 'awaiting_input';
  if (readingTerminal === true) return asks;
  // It has asked, and waits for something else as well; or unknown: a shell at the other end of ssh.
  const hasAsked = state === 'awaiting_input' || state === 'password';
  const isLikely = hasAsked || (promptPattern && state !== 'full_screen');
  return isLikely && quietMs >= furtherMs ? asks : null;
}

/** Returns the text left of the cursor in its line, without blanks at its end. */
export function questionOf(watched: Watched): string {
  const { terminal } = watched;
  const text = terminal.alternate ? watched.textBeforeCursor() : terminal.linePosition().before;
  return text.slice(characterEnd(text, Math.max(0, text.length - maxQuestion))).trimEnd();
}
