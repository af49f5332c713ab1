import type { Clock } from '#base';
import {
  isKeyDriven,
  isPosixShell,
  isSecondPrompt,
  type OwnActivity,
  replacesShell,
  type SessionEvent,
} from '#model';
import type { Mark } from '../reading/read-mark.ts';
import type { Pattern } from '../searching/pattern.ts';
import type { Watched } from '../watched.ts';
import { maybeProgress, progressMs, questionAsked, readingMs, unsureMs } from './asked-question.ts';
import { BesideSpinner } from './asks-condition.ts';
import { QuietActivity } from './quiet-activity.ts';
import type { ActivityQueries } from './shared-activity.ts';
import { type ShownBy, shownByIn, type TypedPrompt } from './typed-prompt.ts';
import type { Condition, ConditionCheck, ConditionMet } from './wait.ts';

/**
 * How long a prompt must stay, in ms, before and between the checks. Any output may look like a
 * prompt for a moment.
 */
const stepsMs = [100, 300, 1_000];
const lineFeed = 0x0a;

export interface PromptOptions {
  readonly pattern: Pattern;
  /** Whether the caller gave the pattern. */
  readonly isOwn: boolean;
  /** The session's activity; null if it cannot be queried. */
  readonly queries: ActivityQueries | null;
  /** The prompt at which a line is typed. Other prompts are questions. Default: all prompts count. */
  readonly typedAt?: TypedPrompt;
  /** Whether the prompt must follow a line that is typed. Default: false. */
  readonly afterLine?: boolean;
  /** Whether a question is reported as well, as `awaiting_input` or `password`. Default: false. */
  readonly asks?: boolean;
}

/** A prompt as the condition reports it. */
export interface PromptMet extends ConditionMet {
  /** Whether the system does not report that the program reads its terminal. */
  readonly isUnsure?: boolean;
}

/**
 * Met when a prompt without marks is shown at which nothing has been typed: the unfinished line of a
 * program in the foreground that reads the terminal, while the session is `at_prompt`. Where the
 * system does not report that, or if the caller gives a pattern, the text left of the cursor must
 * match. See docs/adr/0030 for the rules. For prompts that a shell marks, see `promptMarked`.
 */
export function promptShown(options: PromptOptions): Condition {
  return {
    start: (watched, clock, onMet, since) => new PromptCheck(watched, clock, onMet, since, options),
  };
}

class PromptCheck implements ConditionCheck {
  readonly #watched: Watched;
  readonly #onMet: (met: PromptMet) => void;
  readonly #since: number;
  readonly #options: PromptOptions;
  readonly #quiet: QuietActivity;
  /** Null if questions are not reported. */
  readonly #beside: BesideSpinner | null;
  /** Whether a line feed was printed: the program has accepted the typed line. */
  #hasLineEnded = false;

  constructor(
    watched: Watched,
    clock: Clock,
    onMet: (met: ConditionMet) => void,
    since: Mark | null,
    options: PromptOptions,
  ) {
    this.#watched = watched;
    this.#onMet = onMet;
    this.#since = since?.offset ?? 0;
    this.#options = options;
    const steps = options.afterLine ? stepsMs : [firstStepMs(watched, clock), ...stepsMs.slice(1)];
    this.#quiet = new QuietActivity(
      watched,
      clock,
      options.queries,
      steps,
      () => options.asks === true || this.#mayBePrompt(),
      (activity, quietMs) => this.#checkText(activity, quietMs),
    );
    const isSpinning = () => this.#hasLineEnded && this.#quiet.quietMs < readingMs;
    this.#beside = options.asks
      ? new BesideSpinner(watched, clock, onMet, options.queries, isSpinning)
      : null;
  }

  onEvent(event: SessionEvent): void {
    if (event.type === 'output') this.#hasLineEnded ||= event.bytes.includes(lineFeed);
    this.#quiet.onEvent(event);
    this.#beside?.onEvent(event);
  }

  dispose(): void {
    this.#quiet.dispose();
    this.#beside?.dispose();
  }

  #checkText(activity: OwnActivity | null, quietMs: number): void {
    const { outputEnd, lastInputAt } = this.#watched;
    if (outputEnd <= Math.max(this.#since, lastInputAt)) return;
    const { alternate } = this.#watched.terminal;
    const isAccepted = this.#hasLineEnded || alternate || quietMs >= unsureMs;
    if (this.#options.afterLine && !isAccepted) return;
    const met = this.#promptIn(activity, quietMs) ?? this.#questionIn(activity, quietMs);
    if (met !== null) this.#onMet(met);
  }

  /** Whether there is an unfinished line at which nothing has been typed. */
  #mayBePrompt(): boolean {
    const { text, typed } = this.#watched.lineAtCursor();
    return typed.trim() === '' && text.trim() !== '';
  }

  #promptIn(activity: OwnActivity | null, quietMs: number): PromptMet | null {
    if (!this.#mayBePrompt()) return null;
    const { text } = this.#watched.lineAtCursor();
    const { isOwn, typedAt } = this.#options;
    const isMarked = !isOwn && this.#watched.isAtUnverifiedPrompt();
    const shownBy = shownByIn(activity);
    const reads = readsAtPrompt(activity, quietMs, isOwn, this.#watched);
    if (reads === 'no') return null;
    const isNew = typedAt === undefined && !isOwn && !isMarked && activity !== null;
    if (isNew && quietMs < progressMs && maybeProgress(activity, this.#watched)) return null;
    const isPrompt =
      typedAt === undefined
        ? reads === 'unknown' || isOwn
          ? isMarked || this.#matches(text)
          : activity?.state === 'at_prompt'
        : (isMarked && typedAt.isOf(shownBy)) || this.#isAgain(typedAt, shownBy, reads, quietMs);
    const isSecond =
      isPosixShell(activity?.evidence.foreground?.name ?? null) && isSecondPrompt(text);
    if (isSecond && reads === 'yes' && !isOwn && typedAt?.isOf(shownBy)) {
      // The text does not tell which of the two prompts of the shell it is.
      if (activity?.state === 'at_prompt') return { outcome: 'prompt' };
      return isPrompt ? { outcome: 'prompt', isUnsure: true } : null;
    }
    if (!isPrompt) return null;
    return reads === 'yes' ? { outcome: 'prompt' } : { outcome: 'prompt', isUnsure: true };
  }

  #isAgain(typedAt: TypedPrompt, shownBy: ShownBy | null, reads: Reads, quietMs: number): boolean {
    const { terminal } = this.#watched;
    const { text } = this.#watched.lineAtCursor();
    if (reads === 'yes' || terminal.alternate) return typedAt.isShownAgain(text, shownBy);
    const { bracketedPaste } = terminal.keyModes;
    return typedAt.isSurelyShownAgain(text, shownBy, bracketedPaste, quietMs);
  }

  #questionIn(activity: OwnActivity | null, quietMs: number): ConditionMet | null {
    const { asks, typedAt } = this.#options;
    if (!asks || activity === null) return null;
    // The system is asked for one fact after the other: the program in the foreground may have ended before
    // the one at whose prompt the line was typed reads again.
    const { text } = this.#watched.lineAtCursor();
    if (quietMs < unsureMs && typedAt?.endsLike(text)) return null;
    const reads = readsAtPrompt(activity, quietMs, false, this.#watched);
    if (reads !== 'yes' && typedAt?.maybeBehindOutput(text, quietMs)) return null;
    return questionAsked(activity, quietMs, this.#watched);
  }

  #matches(text: string): boolean {
    return this.#options.pattern.findTouching(text, 0, text.length) !== null;
  }
}

/** Returns the time that a prompt must still stay; 0 if it has stayed. */
function firstStepMs({ lastOutputAtMs }: Watched, clock: Clock): number {
  const [settledMs = 0] = stepsMs;
  const hasStayed = lastOutputAtMs !== null && clock.wallMs() - lastOutputAtMs >= settledMs;
  return hasStayed ? 0 : settledMs;
}

type Reads = 'yes' | 'likely' | 'unknown' | 'no';

/** Returns whether the foreground program reads the terminal at what may be its prompt. */
function readsAtPrompt(
  activity: OwnActivity | null,
  quietMs: number,
  isOwn: boolean,
  { commands }: Watched,
): Reads {
  if (activity === null) return 'unknown';
  const { state, evidence } = activity;
  const { readingTerminal, alsoWaits, leaderInForeground, shellMark } = evidence;
  // The prompt may be inside a program that paints other programs' screens, such as tmux.
  if (state === 'full_screen') return isOwn || readingTerminal !== true ? 'unknown' : 'no';
  // A program that looks for input now and then sleeps in between. Only the caller knows its prompt.
  if (readingTerminal === false) return isOwn && quietMs >= unsureMs ? 'unknown' : 'no';
  if (!isOwn && isKeyDriven(evidence.foreground?.name ?? null)) return 'no';
  // A shell that marks its prompts asks its own question, unless another program has replaced it.
  const isReplaced = replacesShell(commands.running?.line);
  const asksItself = shellMark === 'command' && leaderInForeground !== false && !isReplaced;
  if (asksItself && !isOwn) return 'no';
  // A shell whose input is not echoed shows its prompt as other shells do.
  if (state === 'password') return 'unknown';
  if (readingTerminal === true) return 'yes';
  const hasAsked = alsoWaits === true && (state === 'awaiting_input' || state === 'at_prompt');
  return hasAsked && quietMs >= unsureMs ? 'likely' : 'unknown';
}
