import type { OutputPosition } from '#model';

/**
 * Returns the text between two positions, with line feeds between lines and without trailing
 * spaces; null if it is not available.
 */
export type TextBetween = (from: OutputPosition, to: OutputPosition) => string | null;

/** The most lines of one command that are read from the screen. */
const maxLines = 200;

/**
 * The line typed at a prompt, read from the screen. Needed for bash, which cannot report a line
 * that its history leaves out, and whose history joins the lines of a command.
 */
export class TypedInput {
  readonly #textBetween: TextBetween;
  /** The ends of the command's prompts: the first one's, then those of continuation prompts. */
  #starts: OutputPosition[] = [];

  constructor(textBetween: TextBetween) {
    this.#textBetween = textBetween;
  }

  /** The ends of the command's prompts. */
  get starts(): readonly OutputPosition[] {
    return this.#starts;
  }

  restore(starts: readonly OutputPosition[]): void {
    this.#starts = [...starts];
  }

  /** Must be called when a new command begins to be typed. */
  forget(): void {
    this.#starts = [];
  }

  /** Must be called at the end of each prompt. */
  beginAt(position: OutputPosition): void {
    const isRedrawn = this.#starts.at(-1)?.line === position.line;
    if (isRedrawn) this.#starts.pop();
    if (this.#starts.length <= maxLines) this.#starts.push(position);
  }

  /**
   * Returns a command with its line breaks, which the shell's report may lack.
   *
   * @param text the line that the shell reported; returned if the screen differs from it
   * @param end the position at which the command's output begins
   */
  inLines(text: string, end: OutputPosition): string {
    if (this.#starts.length < 2) return text;
    const typed = this.#read(end);
    return typed !== null && essence(typed) === essence(text) ? typed : text;
  }

  /**
   * Returns the typed line if the screen confirms it, else null: the screen may have been cleared.
   * The newest line of the history may be an older command's, because the history leaves out
   * repeated lines (`ignoredups`) and lines that begin with a space (`ignorespace`).
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

/** Removes the characters that bash's history changes when it joins lines. */
function essence(line: string): string {
  return line.replace(/[\s;]+/g, '');
}
