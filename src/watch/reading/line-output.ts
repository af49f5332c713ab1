import type { CommandOutput, ReadBudget, ReadMark } from '#model';
import type { Readable } from '../watched.ts';
import { excerpt } from './excerpt.ts';
import { gapFrom } from './read.ts';
import { parseMark } from './read-mark.ts';
import { givenLines, keptLines, type Stretch, Stretches } from './stretches.ts';

/** The output of lines that are not commands of a shell that marks them. */
export type LineOutput = Omit<CommandOutput, 'command'>;

/** A line typed at a prompt without marks, and the end of its output. */
export interface UnmarkedLine {
  /** The position at which it was typed. */
  readonly mark: ReadMark;
  /** One line, or several of one paste. */
  readonly text: string;
  /** The line in which the output ends. */
  readonly endLine: number;
  /** The output in that line: that left of the next prompt. */
  readonly endText: string;
  /** Whether a shell that marks its commands ran none for it. */
  readonly isNoCommand?: boolean;
}

/**
 * Returns the output of lines that were typed one after the other at prompts without marks: the lines
 * below each typed one, up to the next prompt.
 */
export function outputOfLines(
  session: Readable,
  typed: readonly UnmarkedLine[],
  budget: ReadBudget,
): LineOutput {
  const { firstLine } = session.terminal;
  const ranges = rangesOf(session, typed);
  const gaps = ranges.map(({ from, to }) => gapFrom(session, from, to));
  const dropped = gaps.reduce((sum, { lines }) => sum + lines, 0);
  const earlier = gaps.reduce((sum, gap) => sum + (gap.earlier ?? 0), 0);
  const lines = new Stretches(
    ranges.flatMap(({ from, to, endText }): Stretch[] => [
      keptLines(session, Math.max(from, firstLine), to, 'text'),
      ...(endText === '' ? [] : [givenLines(to, [endText])]),
    ]),
  );
  return {
    text: excerpt(lines, budget),
    openEnd: lines.count === 0 || ranges.at(-1)?.endText !== '',
    gap: { lines: dropped, bytes: 0, ...(earlier > 0 && { earlier }) },
  };
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly endText: string;
}

function rangesOf(session: Readable, typed: readonly UnmarkedLine[]): readonly Range[] {
  const [first] = typed;
  const last = typed.at(-1);
  if (first === undefined || last === undefined) return [];
  const mark = parseMark(session, first.mark);
  const rewritten = session.terminal.rewrittenFrom(mark.revision);
  if (rewritten < mark.line) {
    const from = first.isNoCommand
      ? belowLine(session, rewritten, mark.line, first.text)
      : rewritten;
    return [{ from, to: last.endLine, endText: last.endText }];
  }
  return typed.map(({ mark: at, text, endLine, endText }) => {
    const from = afterEcho(session, parseMark(session, at).line + 1, text);
    const range = { from, to: Math.max(from, endLine), endText: endLine < from ? '' : endText };
    return withoutZshMark(session, range);
  });
}

/**
 * Returns the line below typed lines that zsh has drawn again with another prompt, which has fewer rows (a transient
 * prompt). A line that no command has printed is one of those if it ends with the typed text.
 *
 * @param from the first line that was drawn again
 * @param to the line in which the text was typed first
 */
function belowLine(session: Readable, from: number, to: number, text: string): number {
  const [first = ''] = text.split('\n');
  for (let line = from; line <= to; line++) {
    const shown = session.linePart(line, {}).trimEnd();
    if (endsWithEcho(shown, first)) return afterEcho(session, line + 1, text);
  }
  return from;
}

/**
 * Removes the mark that zsh writes behind output without a line end: a reversed `%`, or `#` for root,
 * and blanks up to the end of the row. See zshoptions(1), PROMPT_SP.
 */
function withoutZshMark(session: Readable, range: Range): Range {
  const { from, to, endText } = range;
  if (endText !== '' || to <= from) return range;
  const text = session.linePart(to - 1, {});
  const [mark, output = ''] = /^(.*)[%#] +$/.exec(text) ?? [];
  if (mark === undefined || !fillsRows(session, to - 1, text.length)) return range;
  const isReversed = /\x1b\[[0-9;]*7m[%#](?:\x1b\[[0-9;]*m)* *(?:\x1b\[[0-9;]*m)*$/;
  if (!isReversed.test(session.linePart(to - 1, {}, 'ansi'))) return range;
  return { from, to: to - 1, endText: output };
}

/** Returns whether a line of at least `length` columns ends in the last column of a row. */
function fillsRows(session: Readable, line: number, length: number): boolean {
  const { cols } = session.terminal.size;
  let end = Math.ceil(length / cols) * cols;
  while (session.linePart(line, { from: end }) !== '') end += cols;
  return session.linePart(line, { from: end - 1 }) !== '';
}

/** Line editors and terminals show blanks in place of a tab, and `^A` in place of another control character. */
const echoed = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[\0-\x1f\x7f]/g, (control) => `^${String.fromCharCode(control.charCodeAt(0) ^ 0x40)}`)
    .trim();

const endsWithEcho = (shown: string, typed: string): boolean =>
  echoed(shown).endsWith(echoed(typed));

/** Returns the line after the echo of typed lines; the first of them is above `from`. */
function afterEcho(session: Readable, from: number, text: string): number {
  const [, ...more] = text.split('\n');
  const lastText = more.findLastIndex((each) => each.trim() !== '');
  let line = from;
  for (const [index, each] of more.entries()) {
    const shown = session.linePart(line, {}).trimEnd();
    // Not all shells show the empty lines at the end: output may begin there.
    if (index > lastText ? shown !== '' : !endsWithEcho(shown, each)) break;
    line++;
  }
  return line;
}

/**
 * Returns the new rows of a screen that a program repaints: those between the typed line, if it is
 * still shown, and the row of the cursor.
 *
 * @param prompt the text left of the typed line
 * @param endText the output in the row of the cursor: that left of the next prompt
 */
export function outputOnScreen(
  session: Readable,
  typed: string,
  prompt: string,
  endText: string,
  budget: ReadBudget,
): LineOutput {
  const { cursor, size } = session.terminal;
  const rows = session.screenRows().slice(0, cursor.row);
  const [line = ''] = typed.split('\n');
  const shown = `${prompt}${line}`;
  const firstRow = shown.slice(0, size.cols).trimEnd();
  const at = rows.lastIndexOf(firstRow);
  const from = at < 0 ? 0 : at + Math.ceil(shown.length / size.cols);
  const texts = [...rows.slice(from), ...(endText === '' ? [] : [endText])];
  const lines = new Stretches([givenLines(null, texts)]);
  return {
    text: excerpt(lines, budget),
    openEnd: lines.count === 0 || endText !== '',
    gap: { lines: 0, bytes: 0 },
  };
}
