import { isProgramPrompt, isZshContinuation, type OwnActivity } from '#model';
import type { Pattern } from '../searching/pattern.ts';

/**
 * Continuation prompts without a word: those of shells, Python, Node.js, SQLite, MySQL and IPython
 * (`> `, `... `, `   ...> `, `    -> `, `    '> `, `   ...: `).
 */
const onlySigns = /^[^\p{L}\p{N}]*[^\p{L}\p{N}$#%]$/u;
/** psql shows what is missing before its last sign: `postgres-# `, `postgres'# `, `postgres(# `. */
const psqlPrompt = /=[*!?]?[#>]$/;

/** The program that shows a prompt. */
export interface ShownBy {
  readonly pid: number;
  /** See {@link OwnActivity}; absent if unknown. */
  readonly startedAt?: number | undefined;
}

/** Returns the program in the foreground; null if it is unknown. */
export function shownByIn(activity: OwnActivity | null): ShownBy | null {
  const pid = activity?.evidence.foreground?.pid;
  return pid === undefined ? null : { pid, startedAt: activity?.startedAt };
}

/** The prompt at which a line is typed. */
export class TypedPrompt {
  /** The text of the prompt left of the cursor. */
  readonly text: string;
  readonly #shownBy: ShownBy | null;
  readonly #pattern: Pattern;
  readonly #isOwn: boolean;
  /** Matches a text that ends with this prompt; null if the prompt is blank. */
  readonly #end: RegExp | null;

  /**
   * @param shownBy null if unknown
   * @param isOwn whether the caller gave the pattern
   */
  constructor(text: string, shownBy: ShownBy | null, pattern: Pattern, isOwn: boolean) {
    this.text = text;
    this.#shownBy = shownBy;
    this.#pattern = pattern;
    this.#isOwn = isOwn;
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
    if (this.endsLike(text) || this.#isEndOfOwnLine(text)) return true;
    return looksLikePrompt && !this.#isContinuation(text.trimEnd());
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

  #isContinuation(text: string): boolean {
    if (psqlPrompt.test(this.text.trimEnd())) return !psqlPrompt.test(text);
    return onlySigns.test(text) || (isZshContinuation(text) && !isZshContinuation(this.text));
  }
}

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
  // Not inside a number: otherwise a long one is tried from each of its digits.
  return new RegExp(`(?<!\\p{N}(?=\\p{N}))${anyNumbers}\\s*$`, 'u');
}
