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
  /** Whether bracketed paste was on, as line editors switch it while they read. */
  readonly pastes?: boolean;
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
    const from = first.isNoCommand ? belowLine(session, rewritten, mark.line, first) : rewritten;
    return [{ from, to: last.endLine, endText: last.endText }];
  }
  return typed.map((each) => {
    const { endLine, endText } = each;
    const { line, length } = parseMark(session, each.mark);
    const from = afterEcho(session, line, each, length) ?? line + 1;
    const range = { from, to: Math.max(from, endLine), endText: endLine < from ? '' : endText };
    return withoutOpenEndMark(session, range);
  });
}

/**
 * Returns the line below typed lines that zsh has drawn again with another prompt, which has fewer rows (a transient
 * prompt). A line that no command has printed is one of those if it ends with the typed text.
 *
 * @param from the first line that was drawn again
 * @param to the line in which the text was typed first
 */
function belowLine(session: Readable, from: number, to: number, typed: UnmarkedLine): number {
  for (let line = from; line <= to; line++) {
    const below = afterEcho(session, line, typed);
    if (below !== null) return below;
  }
  return from;
}

/**
 * Removes the mark that zsh writes behind output without a line end: a reversed `%`, or `#` for root, and blanks up to
 * the end of the row. See zshoptions(1), PROMPT_SP. That of fish is a dim `⏎`, or `¶`.
 */
function withoutOpenEndMark(session: Readable, range: Range): Range {
  const { from, to, endText } = range;
  if (endText !== '' || to <= from) return range;
  const text = session.linePart(to - 1, {});
  const [mark, output = ''] = /^(.*)[%#⏎¶] *$/.exec(text) ?? [];
  if (mark === undefined || !fillsRows(session, to - 1, text.length)) return range;
  const isMark = /\x1b\[(?:[0-9;]*7m[%#]|[0-9;:]*m[⏎¶])(?:\x1b\[[0-9;]*m)* *(?:\x1b\[[0-9;]*m)*$/;
  if (!isMark.test(session.linePart(to - 1, {}, 'ansi'))) return range;
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
    .replace(/\s+/g, '')
    .replace(
      /[\0-\x1f\x7f]/g,
      (control) => `^${String.fromCharCode(control.charCodeAt(0) ^ 0x40)}`,
    );

const shownIn = (session: Readable, line: number): string =>
  echoed(session.writtenText(line) ?? '');

/**
 * Returns the line after the echo of typed lines; null if the first of them is not shown.
 *
 * @param first the line in which the first of them begins
 * @param promptLength the length of the text left of it
 */
function afterEcho(
  session: Readable,
  first: number,
  { text, pastes = false }: UnmarkedLine,
  promptLength = 0,
): number | null {
  const [begin = '', ...more] = text.split('\n');
  const lastText = more.findLastIndex((each) => each.trim() !== '');
  const below = afterRows(session, first, begin, pastes, promptLength);
  let line = below ?? first + 1;
  for (const [index, each] of more.entries()) {
    // Some shells do not show the empty lines at the end: output may begin there.
    if (index > lastText && shownIn(session, line) !== '') break;
    const next = afterRows(session, line, each, pastes);
    if (next === null) break;
    line = next;
  }
  return below === null && line === first + 1 ? null : line;
}

/** Python shows `\` at the end of a row that goes on in the next one, IPython `...:` at the beginning of that. */
const rowEnd = /\\$/;
const rowStart = /^\.\.\.:/;
/** zsh shows this in place of the rows above, if a line needs more rows than the screen has. */
const zshCut = />\.{4}$/;

/**
 * Returns the line after those in which one typed line is shown, perhaps in several rows that its editor has wrapped
 * by itself; null if it is not shown. A line that the terminal has wrapped is one line.
 *
 * @param first the line in which it begins
 * @param promptLength the length of the text left of it, if known
 */
function afterRows(
  session: Readable,
  first: number,
  text: string,
  pastes: boolean,
  promptLength = 0,
): number | null {
  const typed = echoed(text);
  const shown = shownIn(session, first);
  const begin = echoed((session.writtenText(first) ?? '').slice(promptLength)).replace(rowEnd, '');
  let used = typed.length;
  let isWhole = true;
  if (!shown.endsWith(typed)) {
    isWhole = !zshCut.test(shown);
    used = typed.startsWith(begin) ? begin.length : commonLength(shown.replace(rowEnd, ''), typed);
    if (used === 0 && isWhole) return null;
  }
  let line = first + 1;
  // The editor of busybox does not know of output left of its prompt, and ends the row later.
  const isBehindOutput = promptLength > 0 && begin !== '' && typed.startsWith(begin);
  while (used < typed.length || !isWhole) {
    const mayGoOn = isBehindOutput && line === first + 1;
    if (!mayGoOn && filledRows(session, line - 1) === null) break;
    const row = shownIn(session, line);
    const parts = [row, row.replace(rowEnd, ''), row.replace(rowStart, '')];
    const part = parts.find((each) =>
      isWhole ? typed.startsWith(each, used) : typed.includes(each),
    );
    if (part === undefined || part === '') break;
    used = isWhole ? used + part.length : typed.endsWith(part) ? typed.length : 0;
    line++;
  }
  if (used < typed.length) return null;
  // The cursor of the editor was in the next row.
  const isNextEmpty = shownIn(session, line).replace(rowStart, '') === '';
  const isFull = pastes && filledRows(session, line - 1) === 'whole';
  return isFull && isNextEmpty && line < session.terminal.endLine ? line + 1 : line;
}

/** Returns the length of the longest beginning of a text with which a row ends. */
function commonLength(row: string, text: string): number {
  let length = Math.min(row.length, text.length, maxRowLength);
  while (length > 0 && !row.endsWith(text.slice(0, length))) length--;
  return length;
}

/** The most characters of a row that are compared with what was typed: any program can have printed it. */
const maxRowLength = 2_000;

/**
 * Returns whether a line ends at the end of a row: `almost` if one column is empty, in which a wide character had no
 * place; null if not.
 */
function filledRows(session: Readable, line: number): 'whole' | 'almost' | null {
  const { cols } = session.terminal.size;
  const width = session.colAfter(line, session.writtenText(line)?.length ?? 0);
  if (width === 0) return null;
  if (width % cols === 0) return 'whole';
  return (width + 1) % cols === 0 ? 'almost' : null;
}

/**
 * Returns the new rows of a screen that a program repaints: those between the typed line, if it is
 * still shown, and the row of the cursor.
 *
 * @param echo the first typed line behind its prompt; null if this screen cannot show it
 * @param endText the output in the row of the cursor: that left of the next prompt
 */
export function outputOnScreen(
  session: Readable,
  echo: string | null,
  endText: string,
  budget: ReadBudget,
): LineOutput {
  const { cursor, size } = session.terminal;
  const rows = session.screenRows().slice(0, cursor.row);
  const at = echo === null ? -1 : rows.lastIndexOf(echo.slice(0, size.cols).trimEnd());
  const from = echo === null || at < 0 ? 0 : at + Math.ceil(echo.length / size.cols);
  const texts = [...rows.slice(from), ...(endText === '' ? [] : [endText])];
  const lines = new Stretches([givenLines(null, texts)]);
  return {
    text: excerpt(lines, budget),
    openEnd: lines.count === 0 || endText !== '',
    gap: { lines: 0, bytes: 0 },
  };
}
