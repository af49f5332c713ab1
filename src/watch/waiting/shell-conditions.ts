import type { Clock, Disposable } from '#base';
import type { Mark } from '../reading/read-mark.ts';
import type { Pattern } from '../searching/pattern.ts';
import type { Watched } from '../watched.ts';
import type { Condition, ConditionCheck, ConditionMet } from './wait.ts';

/**
 * Met when a command of the shell has ended. Without a mark, a command that has ended since the last
 * input counts too. Also ends at an empty prompt, with the outcome `prompt`, if there is no command to
 * wait for: none runs, and the line that was sent has started none.
 */
export const commandFinished: Condition = {
  start: (watched, clock, onMet, since) => new FinishedCheck(watched, clock, onMet, since),
};

/** How long a prompt must stay before there is no command: more lines may have been typed ahead, in ms. */
const idlePromptMs = 300;

class FinishedCheck implements ConditionCheck {
  readonly #watched: Watched;
  readonly #clock: Clock;
  readonly #onMet: (met: ConditionMet) => void;
  readonly #offset: number;
  #timer: Disposable | null = null;

  constructor(
    watched: Watched,
    clock: Clock,
    onMet: (met: ConditionMet) => void,
    since: Mark | null,
  ) {
    this.#watched = watched;
    this.#clock = clock;
    this.#onMet = onMet;
    const { lastInputAt, outputEnd, commands } = watched;
    this.#offset = since?.offset ?? (commands.running === null ? lastInputAt : outputEnd);
    if (since === null && this.#isAtIdlePrompt()) this.#onIdlePrompt();
    else this.#check();
  }

  onEvent({ type }: { readonly type: string }): void {
    // The ledger is updated before events are delivered. The exit of the program has its own outcome.
    if (type !== 'exit') this.#check();
  }

  dispose(): void {
    this.#timer?.dispose();
  }

  #check(): void {
    const command = this.#watched.commands.endedAfter(this.#offset);
    if (command !== null) this.#onMet({ outcome: 'finished', command });
    else if (this.#isAtIdlePrompt()) this.#startTimer();
    else this.#stopTimer();
  }

  /** Whether a prompt is shown at which nothing has been typed. */
  #isAtIdlePrompt(): boolean {
    const { commands, lastInputAt } = this.#watched;
    const { prompt, running } = commands;
    return running === null && prompt !== null && prompt.offset >= lastInputAt;
  }

  #onIdlePrompt(): void {
    const command = this.#watched.commands.endedAfter(this.#offset);
    this.#onMet(command === null ? { outcome: 'prompt' } : { outcome: 'finished', command });
  }

  #startTimer(): void {
    this.#timer ??= this.#clock.schedule(idlePromptMs, () => {
      // Timers fire before I/O: the shell may have read the next line meanwhile.
      this.#timer = this.#clock.afterPendingIo(() => {
        this.#timer = null;
        if (this.#isAtIdlePrompt()) this.#onIdlePrompt();
      });
    });
  }

  #stopTimer(): void {
    this.#timer?.dispose();
    this.#timer = null;
  }
}

/**
 * How long text must look like a prompt, in ms, if there are no marks. Any output may look like a
 * prompt for a moment.
 */
const settledMs = 100;

/**
 * Met when a prompt is shown at which nothing has been typed. A prompt is recognised by the shell's
 * marks; without marks, or if the caller gives a pattern, also by the text left of the cursor.
 *
 * @param isOwn whether the caller gave the pattern
 */
export function promptShown(pattern: Pattern, isOwn: boolean): Condition {
  return {
    start: (watched, clock, onMet, since) =>
      new PromptCheck(watched, clock, onMet, since, { pattern, isOwn }),
  };
}

class PromptCheck implements ConditionCheck {
  readonly #watched: Watched;
  readonly #clock: Clock;
  readonly #onMet: (met: ConditionMet) => void;
  readonly #since: number;
  readonly #options: { readonly pattern: Pattern; readonly isOwn: boolean };
  #timer: Disposable | null = null;

  constructor(
    watched: Watched,
    clock: Clock,
    onMet: (met: ConditionMet) => void,
    since: Mark | null,
    options: { readonly pattern: Pattern; readonly isOwn: boolean },
  ) {
    this.#watched = watched;
    this.#clock = clock;
    this.#onMet = onMet;
    // Input at a prompt removes the prompt, even before the shell has echoed it.
    this.#since = since?.offset ?? watched.lastInputAt;
    this.#options = options;
    this.#check();
  }

  onEvent({ type }: { readonly type: string }): void {
    if (type === 'output' || type === 'mark' || type === 'resize') this.#check();
  }

  dispose(): void {
    this.#timer?.dispose();
  }

  #check(): void {
    this.#timer?.dispose();
    this.#timer = null;
    const { prompt, integration } = this.#watched.commands;
    if (prompt !== null && prompt.offset >= this.#since) this.#onMet({ outcome: 'prompt' });
    else if (integration === 'none' || this.#options.isOwn) this.#checkText();
  }

  #checkText(): void {
    if (!this.#looksLikePrompt()) return;
    this.#timer = this.#clock.schedule(settledMs, () => {
      // Timers fire before I/O: output that arrived meanwhile may have replaced the prompt.
      this.#timer = this.#clock.afterPendingIo(() => {
        if (this.#looksLikePrompt()) this.#onMet({ outcome: 'prompt' });
      });
    });
  }

  #looksLikePrompt(): boolean {
    const text = this.#watched.textBeforeCursor();
    return (
      this.#watched.outputEnd > this.#since &&
      this.#options.pattern.findTouching(text, 0, text.length) !== null
    );
  }
}
