import type { Clock, Disposable } from '#base';
import type { Mark } from '../reading/read-mark.ts';
import type { Pattern } from '../searching/pattern.ts';
import type { Watched } from '../watched.ts';
import type { Condition, ConditionCheck, ConditionMet } from './wait.ts';

/** Met when a command of the shell has ended. */
export const commandFinished: Condition = {
  start(watched, _clock, onMet, since) {
    const offset = since?.offset ?? watched.outputEnd;
    const check = () => {
      const command = watched.commands.endedAfter(offset);
      if (command !== null) onMet({ outcome: 'finished', command });
    };
    check();
    // The ledger is updated before events are delivered. The exit of the program has its own outcome.
    return { onEvent: ({ type }) => type !== 'exit' && check(), dispose() {} };
  },
};

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
