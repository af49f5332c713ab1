import type { Clock } from '#base';
import type { Terminal } from '#vt';

/** Output is announced when nothing was typed for this time: screen readers announce what is typed. In ms. */
const typingMs = 800;
/** It is announced when none came for the first time, and after the second time at the latest. In ms. */
const quietMs = 250;
const betweenMs = 2_000;
/** The most lines and characters that are announced at once. */
const maxLines = 6;
const maxLength = 400;
/** The most changed rows of a full-screen program that are announced; if more changed, none is. */
const maxRows = 3;

export interface AnnouncerOptions {
  readonly clock: Pick<Clock, 'nowMs' | 'schedule'>;
  /** Tells a text, in place of the one before. */
  readonly say: (text: string) => void;
}

/**
 * Tells screen readers what a program prints: new lines, shortened if there are many, and rows of a
 * full-screen program if few have changed. It tells nothing while the person types fast.
 */
export class Announcer {
  readonly #options: AnnouncerOptions;
  #terminal: Terminal | null = null;
  /** The last line that was told, and its text. */
  #line = 0;
  #text = '';
  /** The alternate screen as it was told; null on the primary screen. */
  #rows: readonly string[] | null = null;
  /** What was typed since the last telling. Programs echo it. */
  #typed = '';
  #typedAtMs = Number.NEGATIVE_INFINITY;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #changedAtMs = 0;
  #timer: { dispose(): void } | null = null;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  dispose(): void {
    this.#timer?.dispose();
  }

  /** The terminal has changed. The first terminal is not announced. */
  changed(terminal: Terminal): void {
    const isFirst = this.#terminal === null;
    this.#terminal = terminal;
    if (isFirst) {
      this.#news(terminal);
      return;
    }
    this.#changedAtMs = this.#options.clock.nowMs();
    this.#schedule();
  }

  /** @param text empty for keys that type none */
  typed(text: string): void {
    this.#typed = (this.#typed + text).slice(-maxLength);
    this.#typedAtMs = this.#options.clock.nowMs();
  }

  #schedule(): void {
    if (this.#timer !== null) return;
    const nowMs = this.#options.clock.nowMs();
    const waitMs = Math.max(quietMs, this.#dueMs() - nowMs);
    this.#timer = this.#options.clock.schedule(waitMs, () => {
      this.#timer = null;
      if (this.#dueMs() > this.#options.clock.nowMs()) this.#schedule();
      else this.#tell();
    });
  }

  /** Output that does not end is told from time to time. */
  #dueMs(): number {
    const afterOutput = Math.min(this.#changedAtMs + quietMs, this.#toldAtMs + betweenMs);
    return Math.max(afterOutput, this.#typedAtMs + typingMs);
  }

  #tell(): void {
    const terminal = this.#terminal;
    if (terminal === null) return;
    const text = this.#news(terminal);
    this.#typed = '';
    this.#toldAtMs = this.#options.clock.nowMs();
    if (text !== '') this.#options.say(text);
  }

  #news(terminal: Terminal): string {
    if (terminal.alternate) return this.#changedRows(terminal);
    this.#rows = null;
    return this.#newLines(terminal);
  }

  #changedRows(terminal: Terminal): string {
    const before = this.#rows;
    const rows = terminal.screenText();
    this.#rows = rows;
    const changed = rows.filter((row, at) => row !== before?.[at] && row.trim() !== '');
    const current = rows[terminal.cursor.row] ?? '';
    return shortened(changed.length <= maxRows ? changed : [current]);
  }

  #newLines(terminal: Terminal): string {
    const { topLine, firstLine, endLine } = terminal;
    // The screen was cleared, or lines are numbered anew.
    if (endLine <= this.#line) {
      this.#line = topLine;
      this.#text = '';
    }
    const from = Math.max(this.#line, firstLine, endLine - maxLines);
    const lines: string[] = [];
    for (const { line, reader } of terminal.readLines(from, endLine)) {
      const text = reader.text().trimEnd();
      const isKnown = line === this.#line && text.startsWith(this.#text);
      lines.push(isKnown ? text.slice(this.#text.length) : text);
      this.#text = text;
    }
    const left = from - this.#line;
    this.#line = Math.max(topLine, endLine - 1);
    // What the person typed was told when it was typed.
    if (left === 0 && lines[0]?.trim() === this.#typed.trim()) lines.shift();
    return shortened(lines, left);
  }
}

/** @param left how many lines before are left out */
function shortened(lines: readonly string[], left = 0): string {
  const text = lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
  const end = text.length > maxLength ? `… ${text.slice(-maxLength)}` : text;
  return left <= 0 ? end : `${left} more lines, then:\n${end}`;
}
