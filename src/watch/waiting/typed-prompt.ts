import { isContinuation, isProgramPrompt, isZshContinuation, type OwnActivity } from '#model';
import type { Pattern } from '../searching/pattern.ts';

/**
 * Continuation prompts without a word: those of shells, Python, Node.js, SQLite, MySQL and IPython
 * (`> `, `... `, `   ...> `, `    -> `, `    '> `, `   ...: `), but not Python's own `>>> `.
 */
const onlySigns = /^(?!>>>$)[^\p{L}\p{N}]*[^\p{L}\p{N}$#%]$/u;
/** psql shows what is missing before its last sign: `postgres-# `, `postgres'# `, `postgres(# `. */
const psqlPrompt = /=[*!?]?[#>]$/;

/** The program that shows a prompt. */
export interface ShownBy {
  readonly pid: number;
  /** See {@link OwnActivity}; absent if unknown. */
  readonly startedAt?: number | undefined;
  /** Absent if unknown. */
  readonly name?: string | undefined;
  /** The program that reads, if it is another one of those in the foreground. See {@link OwnActivity}. */
  readonly reader?: string | undefined;
}

/** Returns the program in the foreground; null if it is unknown. */
export function shownByIn(activity: OwnActivity | null): ShownBy | null {
  const { pid, name } = activity?.evidence.foreground ?? {};
  return pid === undefined
    ? null
    : { pid, startedAt: activity?.startedAt, name, reader: activity?.reader };
}

/** The prompt at which a line is typed. */
export class TypedPrompt {
  /** The text of the prompt left of the cursor. */
  readonly text: string;
  readonly #shownBy: ShownBy | null;
  readonly #pattern: Pattern;
  readonly #isOwn: boolean;
  /** The prompt with what is left of it, if that may be a part of it. */
  readonly #longer: string | null;
  /** Whether bracketed paste was on. */
  readonly #pastes: boolean;
  /** Matches a text that ends with this prompt; null if the prompt is blank. */
  readonly #end: RegExp | null;

  /**
   * @param shownBy null if unknown
   * @param isOwn whether the caller gave the pattern
   * @param pastes whether bracketed paste is on, as line editors switch it while they read
   * @param left what is left of the text: output, or a part of the prompt; empty if that is known
   */
  constructor(
    text: string,
    shownBy: ShownBy | null,
    pattern: Pattern,
    isOwn: boolean,
    pastes = false,
    left = '',
  ) {
    this.#longer = left === '' ? null : `${left}${text}`;
    this.text = text;
    this.#shownBy = shownBy;
    this.#pattern = pattern;
    this.#isOwn = isOwn;
    this.#pastes = pastes;
    this.#end = text.trim() === '' ? null : endOf(text);
  }

  /**
   * Returns whether a program shows its prompt again, as opposed to a question or a continuation
   * prompt. Counters may differ (`In [1]: `), and a shell may show another directory.
   *
   * @param text left of the cursor
   * @param shownBy the program that shows it; null if unknown
   */
  isShownAgain(text: string, shownBy: ShownBy | null): boolean {
    if (this.#isOwn) return this.#find(text) !== null;
    const looksLikePrompt = this.#find(text) !== null || isProgramPrompt(text, null);
    // A program that was started later shows its own prompt: the line has started it. One that was
    // started earlier has waited for this one, which has ended.
    if (shownBy !== null && this.#shownBy !== null && !this.isOf(shownBy)) {
      return isBefore(shownBy, this.#shownBy) && looksLikePrompt;
    }
    // So does one that the line has started in the same group of processes, as system(3) does.
    if (this.#shownBy?.reader === undefined && shownBy?.reader !== undefined) return false;
    if (this.endsLike(text) || this.#isEndOfOwnLine(text)) return true;
    return looksLikePrompt && !this.#isContinuation(text, shownBy?.reader ?? shownBy?.name ?? null);
  }

  /**
   * As {@link isShownAgain}, if the system does not report whether a program reads: over ssh, any output can look
   * like a prompt. The line editor must have turned bracketed paste on again. Without one, the text must be this
   * prompt, in another directory too; output may be left of it only after a long silence.
   *
   * @param pastes whether bracketed paste is on
   */
  isSurelyShownAgain(
    text: string,
    shownBy: ShownBy | null,
    pastes: boolean,
    quietMs: number,
  ): boolean {
    if (!this.isShownAgain(text, shownBy)) return false;
    if (this.#isOwn || !this.isOf(shownBy)) return true;
    if (this.#pastes) return pastes;
    return this.isAlike(text) || quietMs >= leftoverMs;
  }

  /** Whether a text may be output with this prompt behind it, if a program reads and the system does not report it. */
  maybeBehindOutput(text: string, quietMs: number): boolean {
    return quietMs < leftoverMs && !this.#pastes && this.endsLike(text);
  }

  /** Returns whether a text is this prompt, perhaps in another directory, or behind output. */
  isAlike(text: string): boolean {
    if (steadyPrompt(text) === steadyPrompt(this.text)) return true;
    if (this.endsLike(text) && hasWord(this.text)) return true;
    if (this.#isEndOfOwnLine(text)) return true;
    const word = firstWord(text);
    return word !== '' && word === firstWord(this.text) && text.at(-2) === this.text.at(-2);
  }

  /** Returns whether a text is this prompt, perhaps in another directory, without output left of it. */
  isWhole(text: string): boolean {
    if (text === this.#longer || this.outputBefore(text) !== '') return false;
    if (this.#isOwn && this.#find(text) !== null) return true;
    return this.isAlike(text) && (this.endsLike(text) || !this.#isEndOfOwnLine(text));
  }

  /** Returns whether a text ends with this prompt, whichever program shows it. */
  endsLike(text: string): boolean {
    return this.#end?.test(text) === true;
  }

  /** Returns whether it is the prompt of a program, as far as known. */
  isOf(shownBy: ShownBy | null): boolean {
    return shownBy === null || this.#shownBy === null || shownBy.pid === this.#shownBy.pid;
  }

  /** Returns the output left of the prompt in its line. */
  outputBefore(text: string): string {
    if (text === this.#longer) return '';
    const start = this.#end === null ? -1 : text.search(this.#end);
    if (start >= 0) return text.slice(0, start);
    const match = this.#isOwn ? this.#find(text) : null;
    return match === null ? '' : text.slice(0, match.start);
  }

  /** The prompt at which the line is typed may have output left of it, without a line end. */
  #isEndOfOwnLine(text: string): boolean {
    const isContinuation = text.trim() === '' || text.trim() === '>';
    return !isContinuation && this.text.trimEnd().endsWith(text.trimEnd());
  }

  #find(text: string) {
    return this.#pattern.findTouching(text, 0, text.length);
  }

  #isContinuation(text: string, name: string | null): boolean {
    const end = text.trimEnd();
    if (psqlPrompt.test(this.text.trimEnd())) return !psqlPrompt.test(end);
    if (isZshContinuation(end) && isZshContinuation(this.text)) return false;
    return onlySigns.test(end) || isContinuation(text, name);
  }
}

/** The silence after which a prompt behind other text counts, in ms. */
const leftoverMs = 4_000;

/** Returns a prompt without what changes in it: numbers and directories. */
export const steadyPrompt = (prompt: string): string =>
  prompt
    .trimEnd()
    .replace(/[~/][^\s\])$#%>]*/g, '/')
    .replace(/\p{N}+/gu, '0');

/** A prompt with a word is hardly the end of output by chance. */
const hasWord = (prompt: string): boolean => /[\p{L}\p{N}]/u.test(prompt);

/** The beginning of a prompt that does not change: the user, the host. */
const firstWord = (prompt: string): string => /^[^\s:~/]*/.exec(prompt)?.[0] ?? '';

/** Process ids, which are used again, tell the order only within a tick of the system's clock. */
function isBefore(one: ShownBy, other: ShownBy): boolean {
  const isAlike =
    one.startedAt === undefined ||
    other.startedAt === undefined ||
    one.startedAt === other.startedAt;
  return isAlike ? one.pid < other.pid : Number(one.startedAt) < Number(other.startedAt);
}

/** Returns an expression for a text that ends as a prompt, whose numbers may differ. */
function endOf(prompt: string): RegExp {
  const literal = prompt.trimEnd().replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const anyNumbers = literal.replace(/\p{N}+/gu, '\\p{N}+');
  // A match must not begin inside a number: a long number would be tried from each of its digits.
  return new RegExp(`(?<!\\p{N}(?=\\p{N}))${anyNumbers}\\s*$`, 'u');
}
