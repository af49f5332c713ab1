import type { Clock, Disposable } from '#base';
import type { Mark } from '../reading/read-mark.ts';
import type { Pattern } from '../searching/pattern.ts';
import type { Watched } from '../watched.ts';
import type { Condition, Held, Look } from './wait.ts';

/** Holds when a command of the shell has ended. */
export const commandFinished: Condition = {
  start(watched, _clock, hold, since) {
    const offset = since?.offset ?? watched.outputEnd;
    const look = () => {
      const command = watched.commands.endedAfter(offset);
      if (command !== null) hold({ outcome: 'finished', command });
    };
    look();
    // The ledger is as new as any event. What ends with the program has its own outcome.
    return { onEvent: ({ type }) => type !== 'exit' && look(), dispose() {} };
  },
};

/**
 * Without marks a prompt is known by its looks, which any output may have for a moment: it has to
 * stay for so long, in ms.
 */
const settledMs = 100;

/**
 * Holds when a prompt is shown that nothing has been typed at since. Marks of a shell say so; without
 * any, or with a pattern of the caller's own, the text left of the cursor does.
 */
export function promptShown(pattern: Pattern, isOwn: boolean): Condition {
  return {
    start: (watched, clock, hold, since) =>
      new PromptLook(watched, clock, hold, since, { pattern, isOwn }),
  };
}

class PromptLook implements Look {
  readonly #watched: Watched;
  readonly #clock: Clock;
  readonly #hold: (held: Held) => void;
  readonly #since: number;
  readonly #looks: { readonly pattern: Pattern; readonly isOwn: boolean };
  #timer: Disposable | null = null;

  constructor(
    watched: Watched,
    clock: Clock,
    hold: (held: Held) => void,
    since: Mark | null,
    looks: { readonly pattern: Pattern; readonly isOwn: boolean },
  ) {
    this.#watched = watched;
    this.#clock = clock;
    this.#hold = hold;
    // What is typed at a prompt takes it away, also before the shell has answered.
    this.#since = since?.offset ?? watched.lastInputAt;
    this.#looks = looks;
    this.#look();
  }

  onEvent({ type }: { readonly type: string }): void {
    if (type === 'output' || type === 'mark' || type === 'resize') this.#look();
  }

  dispose(): void {
    this.#timer?.dispose();
  }

  #look(): void {
    this.#timer?.dispose();
    this.#timer = null;
    const { prompt, integration } = this.#watched.commands;
    if (prompt !== null && prompt.offset >= this.#since) this.#hold({ outcome: 'prompt' });
    else if (integration === 'none' || this.#looks.isOwn) this.#lookAtText();
  }

  #lookAtText(): void {
    if (!this.#looksLikePrompt()) return;
    this.#timer = this.#clock.schedule(settledMs, () => {
      // Timers fire before I/O: what has come meanwhile may have taken the prompt away.
      this.#timer = this.#clock.afterPendingIo(() => {
        if (this.#looksLikePrompt()) this.#hold({ outcome: 'prompt' });
      });
    });
  }

  #looksLikePrompt(): boolean {
    const text = this.#watched.textBeforeCursor();
    return (
      this.#watched.outputEnd > this.#since &&
      this.#looks.pattern.findTouching(text, 0, text.length) !== null
    );
  }
}
