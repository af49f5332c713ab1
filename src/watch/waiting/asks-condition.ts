import type { Clock } from '#base';
import {
  type Activity,
  isProgramPrompt,
  looksLikeQuestion,
  type SessionEvent,
  type WaitOutcome,
} from '#model';
import { characterEnd } from '../character-borders.ts';
import type { Watched } from '../watched.ts';
import { QuietActivity } from './quiet-activity.ts';
import { type QueryActivity, SharedActivity } from './shared-activity.ts';
import type { Condition, ConditionCheck, ConditionMet } from './wait.ts';

/** The program is checked after this much silence, in ms. */
const firstMs = 300;
/**
 * The silence that is needed if the system does not report whether the program reads its terminal, in
 * ms.
 */
const unsureMs = 1_000;
/** The most characters of a question, in UTF-16 code units. */
const maxQuestion = 1_000;
/** The lines above the cursor that are searched for a question. */
const maxLinesAbove = 50;

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
  readonly #onMet: (met: ConditionMet) => void;
  readonly #quiet: QuietActivity;

  constructor(
    watched: Watched,
    clock: Clock,
    onMet: (met: ConditionMet) => void,
    query: QueryActivity,
  ) {
    this.#watched = watched;
    this.#onMet = onMet;
    this.#quiet = new QuietActivity(
      watched,
      clock,
      SharedActivity.of(watched, clock, query),
      [firstMs],
      () => true,
      (activity, quietMs) => this.#onActivity(activity, quietMs),
    );
  }

  onEvent(event: SessionEvent): void {
    this.#quiet.onEvent(event);
  }

  dispose(): void {
    this.#quiet.dispose();
  }

  #onActivity(activity: Activity | null, quietMs: number): void {
    const outcome = activity && inputNeeded(activity, quietMs, this.#isNewPrompt());
    if (outcome === 'prompt') this.#onMet({ outcome });
    else if (outcome !== null) this.#onMet({ outcome, question: questionOf(this.#watched) });
    else if (activity !== null && asksInside(activity, quietMs, this.#watched)) {
      this.#onMet({ outcome: 'awaiting_input', question: questionOf(this.#watched) });
    }
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
  const { readingTerminal, promptPattern, leaderInForeground, shellMark } = evidence;
  if (state === 'exited' || readingTerminal === false) return null;
  // The command that the shell runs has not ended at the prompt of a program inside the shell.
  const isShell = leaderInForeground !== false && shellMark !== 'command';
  const asks =
    state === 'password'
      ? 'password'
      : state === 'at_prompt' && isShell && isNewPrompt
        ? 'prompt'
        : 'awaiting_input';
  if (readingTerminal === true) return asks;
  // It has asked, and waits for something else as well; or unknown: a shell at the other end of ssh.
  const hasAsked = ['awaiting_input', 'password', 'at_prompt'].includes(state);
  const isLikely = hasAsked || (promptPattern && state !== 'full_screen');
  return isLikely && quietMs >= unsureMs ? asks : null;
}

/** Programs that show the terminal of another program on the alternate screen. */
const multiplexers = /^(tmux|screen|zellij|dvtm|dtach|abduco|ssh|mosh)/i;

/**
 * Returns whether a program inside a terminal multiplexer shows its prompt or asks. The kernel does not
 * report that program's reads here, so its text must look like a prompt or a question.
 */
export function asksInside(
  { state, evidence }: Activity,
  quietMs: number,
  watched: Watched,
): boolean {
  if (state !== 'full_screen' || evidence.readingTerminal === true || quietMs < unsureMs) {
    return false;
  }
  const isInside =
    evidence.alsoWaits === true || multiplexers.test(evidence.foreground?.name ?? '');
  const { text } = watched.lineAtCursor();
  return isInside && (isProgramPrompt(text, null) || looksLikeQuestion(text));
}

/**
 * Returns the text left of the cursor in its line, without blanks at its end. If it is empty, returns
 * the last non-empty line above that was printed since the last input.
 */
export function questionOf(watched: Watched): string {
  const { terminal } = watched;
  const before = terminal.alternate ? watched.textBeforeCursor() : terminal.linePosition().before;
  const isBlank = before.trim() === '' && !terminal.alternate;
  const text = isBlank ? lastLineSinceInput(watched) : before;
  return text.slice(characterEnd(text, Math.max(0, text.length - maxQuestion))).trimEnd();
}

function lastLineSinceInput(watched: Watched): string {
  const { terminal, inputs, inputCount } = watched;
  const { line } = terminal.linePosition();
  const input = inputs.at(-1);
  // It was sent to a program on the alternate screen.
  if (inputCount > 0 && input?.line == null) return '';
  // The terminal echoes all lines of an input if the program did not turn the echo off.
  const echo = new Set(input?.text.split(/[\r\n]/).map((each) => each.trimEnd()));
  const first = Math.max(line - maxLinesAbove, input?.line == null ? 0 : input.line + 1);
  const texts = [...watched.lineTexts(first, line)].map(({ text }) => text.trimEnd());
  return texts.findLast((text) => text !== '' && !echo.has(text)) ?? '';
}
