import type { OutputPosition } from '#model';

/**
 * The lines that stand between two places, with line feeds between them and without spaces at their
 * ends; null where they are not to be had.
 */
export type TextBetween = (from: OutputPosition, to: OutputPosition) => string | null;

/** Lines of one command that are looked at on the screen. */
const maxLines = 200;

/**
 * What was typed at a prompt, read from the screen. bash has no other way to tell a line that its
 * history does not take, and in its history a command of several lines is one line.
 */
export class TypedInput {
  readonly #textBetween: TextBetween;
  /** Where the prompts of the command end: the first line's, then those of lines that go on. */
  #starts: OutputPosition[] = [];

  constructor(textBetween: TextBetween) {
    this.#textBetween = textBetween;
  }

  /** A new command is asked for. */
  forget(): void {
    this.#starts = [];
  }

  /** A prompt ends here, and typing begins. */
  beginAt(position: OutputPosition): void {
    const isRedrawn = this.#starts.at(-1)?.line === position.line;
    if (isRedrawn) this.#starts.pop();
    if (this.#starts.length <= maxLines) this.#starts.push(position);
  }

  /**
   * What a command of several lines was before it became one line.
   *
   * @param told the shell's word, which wins where the two do not agree
   * @param end where the command begins to run
   */
  inLines(told: string, end: OutputPosition): string {
    if (this.#starts.length < 2) return told;
    const typed = this.#read(end);
    return typed !== null && essence(typed) === essence(told) ? typed : told;
  }

  /**
   * What was typed, where the newest line of the history may be that of an older command: the
   * history takes no line that repeats the one before (`ignoredups`), and none that begins with a
   * space (`ignorespace`). Null for what the screen does not confirm: it may have been cleared since.
   */
  confirmed(history: string, end: OutputPosition): string | null {
    const typed = this.#read(end);
    if (typed === null || (typed.startsWith(' ') && typed.trim() !== '')) return typed;
    return essence(typed) === essence(history) ? this.inLines(history, end) : null;
  }

  #read(end: OutputPosition): string | null {
    const starts = this.#starts;
    if (starts.length === 0 || starts.length > maxLines) return null;
    const lines = starts.map((start, index) => {
      const next = starts[index + 1];
      return next === undefined ? this.#until(start, end) : this.#until(start, lineStart(next));
    });
    return lines.includes(null) ? null : lines.join('\n');
  }

  #until(from: OutputPosition, to: OutputPosition): string | null {
    if (from.line === null || to.line === null || to.line < from.line) return null;
    return this.#textBetween(from, to)?.replace(/\n+$/, '') ?? null;
  }
}

const lineStart = (position: OutputPosition): OutputPosition => ({ ...position, col: 0 });

/** What bash's history changes when it makes one line of several. */
function essence(line: string): string {
  return line.replace(/[\s;]+/g, '');
}
