import type { Menu } from '#model';
import { isHeading, questionAbove, questionText } from './question-above.ts';
import { hasField, type ShownRow, type ShownScreen } from './shown-rows.ts';

/** What is between two keys and their uses: `Enter to accept · Esc to cancel`. */
const between = /\s+[·•|]\s+|,\s+|\s{2,}|\s+or\s+/u;
const key =
  '(?:(?:ctrl|shift|alt|cmd)[+-])*(?:enter|return|esc|escape|tab|space|backspace|any other key|[←↑→↓⏎↵⎋⇧]+|\\w)';
/** `Press Enter to open`, `Enter: open` */
const explained = new RegExp(`^(?:press\\s+)?${key}(?:\\s+to\\s+|:\\s*)\\S`, 'iu');
/** `enter open` */
const named = new RegExp(`^(?:press\\s+)?${key}\\s+\\S`, 'iu');
const accepts = /\b(?:enter|return)\b|[⏎↵]|^y\b/iu;
const refuses = /\besc(?:ape)?\b|\bctrl[+-]c\b|⎋|^n\b|^any other key\b/iu;

/** The most rows that the keys take, and the most below them, of the program behind the dialog. */
const maxRows = 3;
const maxBelow = 4;
/** The most rows from the keys up to the title of their dialog, and the most blank ones on the way together. */
const maxDialog = 30;
const maxGap = 2;
/** How many columns the text of a dialog may be right of its keys. */
const maxIndent = 3;

/**
 * Returns choices of which each is the name of a key, as in `Enter to stay · shift+Tab to leave · Esc to cancel`: one
 * accepts, another one refuses. They are in the last rows. Null if there are none, or if they belong to the field of
 * an agent.
 */
export function keyChoices(rows: readonly ShownRow[], screen: ShownScreen): Menu | null {
  const end = rows.findLastIndex(({ text }) => text !== '') + 1;
  for (let to = end; to >= Math.max(1, end - maxBelow); to--) {
    for (let from = to - 1; from >= Math.max(0, to - maxRows); from--) {
      const keys = textOf(rows.slice(from, to));
      const options = keys.split(between);
      const title = isChoice(options) ? titleOf(rows, from, options, screen) : null;
      if (title !== null) return { title, options, selected: null, multiple: false, keys };
    }
  }
  return null;
}

/** Returns the text of rows that continue one another; empty if they do not. */
const textOf = (rows: readonly ShownRow[]): string =>
  rows.every(({ text, col }) => text !== '' && col === rows[0]?.col)
    ? rows.map(({ text }) => text.trim()).join(' ')
    : '';

const isChoice = (options: readonly string[]): boolean =>
  options.length > 1 &&
  options.every((option) => named.test(option)) &&
  options.some((option) => accepts.test(option)) &&
  options.some((option) => refuses.test(option));

/** @returns the title of a dialog whose keys begin at an index; null if they are not those of a dialog */
function titleOf(
  rows: readonly ShownRow[],
  from: number,
  options: readonly string[],
  screen: ShownScreen,
): string | null {
  const above = questionAbove(rows, from);
  if (above !== null && isHeading(above)) return questionText(above.text);
  if (!options.every((option) => explained.test(option))) return null;
  return titleInColumn(rows, from, screen);
}

/**
 * Returns the first row of the text above the keys that begins in their column. It ends at a divider, or where the
 * program below the dialog shows. Null at the field of an agent, and for text that has no such end.
 */
function titleInColumn(
  rows: readonly ShownRow[],
  from: number,
  screen: ShownScreen,
): string | null {
  const { row: keysRow = 0, col = 0 } = rows[from] ?? {};
  let title: string | null = null;
  let gap = 0;
  for (let row = keysRow - 1; row >= Math.max(0, keysRow - maxDialog); row--) {
    const whole = screen.rows[row] ?? '';
    const begin = whole.slice(col).search(/\S/u);
    const isDialog = begin >= 0 && begin <= maxIndent && whole.slice(col - 2, col).trim() === '';
    const shown = rows[row];
    if (isDialog && shown?.isRule === false) {
      // Another program's field may show beside the dialog.
      if (shown.col + maxIndent >= col && hasField([shown])) return null;
      title = whole.slice(col).trim();
      gap = 0;
      continue;
    }
    // Another program may show on both sides.
    const isGap = begin < 0 || (begin > maxIndent && whole.slice(0, col).trim() !== '');
    if (!isGap) return title;
    if (++gap > maxGap) return null;
  }
  return null;
}
