import type { Clock, Disposable } from '#base';
import type { CommandRecord } from '#model';
import type { Mark } from '../reading/read-mark.ts';
import type { Watched } from '../watched.ts';
import { QuietActivity } from './quiet-activity.ts';
import type { ActivityQueries } from './shared-activity.ts';
import type { Condition, ConditionCheck, ConditionMet } from './wait.ts';

/** Met when the shell has marked a prompt after the mark; without one, after the last input. */
export const promptMarked: Condition = {
  start(watched, _clock, onMet, since) {
    // Input at a prompt ends the prompt, even before the shell has echoed it.
    const offset = since?.offset ?? watched.lastInputAt;
    const check = () => {
      const { prompt } = watched.commands;
      if (prompt !== null && prompt.offset >= offset) onMet({ outcome: 'prompt' });
    };
    check();
    return { onEvent: check, dispose() {} };
  },
};

/** The silence before the system is queried after ctrl+c, in ms. */
const interruptedMs = [300, 1_000];

/**
 * Whether the last input was ctrl+c, at a marked prompt at which nothing was typed, and nothing was printed for it. fish
 * prints nothing then; other shells show a new prompt.
 */
export function isInterruptedSilently(watched: Watched): boolean {
  const { commands, inputs, outputEnd, lastInputAt, terminal } = watched;
  const { prompt } = commands;
  if (prompt === null || prompt.line === null || prompt.offset > lastInputAt) return false;
  if (outputEnd !== lastInputAt || inputs.at(-1)?.text.endsWith('\x03') !== true) return false;
  const { line, col } = terminal.linePosition();
  return line === prompt.line && col === prompt.col;
}

/**
 * Met when the shell reads at its marked prompt after a ctrl+c for which it prints nothing; see
 * {@link isInterruptedSilently}.
 */
export function promptKept(queries: ActivityQueries | null): Condition {
  return {
    start(watched, clock, onMet, since) {
      const isKept = () =>
        watched.lastInputAt >= (since?.offset ?? 0) && isInterruptedSilently(watched);
      const quiet = new QuietActivity(
        watched,
        clock,
        queries,
        interruptedMs,
        isKept,
        (activity, quietMs) => {
          const reads = activity?.evidence.readingTerminal ?? quietMs >= 1_000;
          if (reads && isKept()) onMet({ outcome: 'prompt' });
        },
      );
      return { onEvent: (event) => quiet.onEvent(event), dispose: () => quiet.dispose() };
    },
  };
}

/** Met when a command of the shell has begun, also if it has ended. */
export const commandBegun: Condition = {
  start(watched, _clock, onMet, since) {
    const offset = since?.offset ?? watched.outputEnd;
    const check = () => {
      const { commands } = watched;
      const hasBegun = commands.running !== null || commands.endedAfter(offset) !== null;
      if (hasBegun) onMet({ outcome: 'finished' });
    };
    check();
    return { onEvent: check, dispose() {} };
  },
};

/**
 * As {@link commandFinished}, for a wait that is sent with its input: if the input has several lines, the last of
 * their commands counts. Their number is unknown until the shell has read them, so its prompt must stay for a moment.
 */
export const sentCommandsFinished: Condition = {
  start: (watched, clock, onMet, since) => new FinishedCheck(watched, clock, onMet, since, true),
};

/**
 * Met when a command of the shell has ended. Without a mark, a command that has ended since the last
 * input counts too. Also ends at an empty prompt, with the outcome `prompt`, if there is no command to
 * wait for: none runs, and the line that was sent has started none.
 */
export const commandFinished: Condition = {
  start: (watched, clock, onMet, since) => new FinishedCheck(watched, clock, onMet, since),
};

/** The silence before the system is queried about an unverified end, in ms. */
const unverifiedMs = [100, 300, 1_000];

/**
 * Met when marks without the nonce say that a command has ended, and the program in the foreground reads
 * the terminal at its prompt. Any output can contain the marks.
 */
export function unverifiedFinished(queries: ActivityQueries | null): Condition {
  return {
    start(watched, clock, onMet, since) {
      const { commands } = watched;
      // The first mark with the nonce ends all others.
      if (commands.integration === 'integrated') return { onEvent() {}, dispose() {} };
      const offset = since?.offset ?? watched.lastInputAt;
      const ended = () => commands.unverified?.endedAfter(offset) ?? null;
      const quiet = new QuietActivity(
        watched,
        clock,
        queries,
        unverifiedMs,
        () => ended() !== null,
        (activity) => {
          const command = ended();
          if (command === null || activity?.state !== 'at_prompt') return;
          onMet({ outcome: 'finished', command });
        },
      );
      return { onEvent: (event) => quiet.onEvent(event), dispose: () => quiet.dispose() };
    },
  };
}

/** How long a prompt must stay before there is no command: more lines may have been typed ahead, in ms. */
const idlePromptMs = 300;

class FinishedCheck implements ConditionCheck {
  readonly #watched: Watched;
  readonly #clock: Clock;
  readonly #onMet: (met: ConditionMet) => void;
  readonly #offset: number;
  readonly #inputsBefore: number | null;
  #timer: Disposable | null = null;

  constructor(
    watched: Watched,
    clock: Clock,
    onMet: (met: ConditionMet) => void,
    since: Mark | null,
    sendsInput = false,
  ) {
    this.#inputsBefore = sendsInput ? watched.inputCount : null;
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
    if (command !== null && !this.#hasSentLines()) this.#onMet({ outcome: 'finished', command });
    else if (this.#isAtIdlePrompt()) this.#startTimer();
    else this.#stopTimer();
  }

  /** Returns the last command that has ended; the first, unless several lines were sent. */
  #lastEnded(): CommandRecord | null {
    const { commands } = this.#watched;
    let last: CommandRecord | null = null;
    for (let offset = this.#offset; ; offset = (last?.to?.offset ?? offset) + 1) {
      const next = commands.endedAfter(offset);
      if (next === null || !this.#hasSentLines()) return last ?? next;
      last = next;
    }
  }

  /** Whether the input that was sent with the wait has several lines. */
  #hasSentLines(): boolean {
    const before = this.#inputsBefore;
    if (before === null) return false;
    const inputs = this.#watched.inputs.filter(({ number }) => number > before);
    const text = inputs.map((input) => input.text).join('');
    return /[\r\n][\s\S]*[\r\n]/.test(text);
  }

  /** Whether a prompt is shown at which nothing has been typed. */
  #isAtIdlePrompt(): boolean {
    const { commands, lastInputAt } = this.#watched;
    const { prompt, running } = commands;
    return running === null && prompt !== null && prompt.offset >= lastInputAt;
  }

  #onIdlePrompt(): void {
    const command = this.#lastEnded();
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
