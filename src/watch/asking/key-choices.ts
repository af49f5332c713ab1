import type { Menu } from '#model';
import { emphasized } from './option-list.ts';
import {
  hasField,
  isBlank,
  isHeading,
  isLibraryQuestion,
  questionAbove,
  questionText,
  type ShownRow,
  type ShownScreen,
} from './shown-rows.ts';

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
  // Between two dividers, keys need no more words: `enter accept · esc cancel`.
  if (above !== null && rows[from + 1]?.isRule === true && from + 2 === rows.length) {
    return titleInColumn(rows, from, screen) && questionText(above.text);
  }
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

const choice = /^(\d{1,3}[.)]|\[\d{1,3}\]|\(\d{1,3}\))\s+\S/u;
/** The prompt of `select` in bash and ksh, and in zsh, which asks nothing. */
const bare = /^(?:#\?|\?#)$/u;

const numberOf = (text: string): number => Number(/\d+/.exec(text)?.[0]);

/**
 * Returns choices with numbers of which one is typed at the cursor: `select` of a shell, menus of
 * scripts, raw lists. They are above the line of the cursor, or below it.
 */
export function typedChoices(rows: readonly ShownRow[], screen: ShownScreen): Menu | null {
  const { cursor } = screen;
  const at = rows.findIndex(({ row }) => row === cursor.row);
  const line = rows[at];
  if (line === undefined || line.text === '') return null;
  if (isLibraryQuestion(line)) {
    const below = rows.slice(at + 1);
    const end = below.findIndex((row) => !choice.test(row.text));
    const title = questionText(line.text);
    return (
      menuOf(title, end < 0 ? below : below.slice(0, end)) ?? filteredMenu(title, below, screen)
    );
  }
  if (!cursor.visible || rows.slice(at + 1).some((row) => !isBlank(row))) return null;
  const above = rows.slice(0, at).filter((row) => !isBlank(row));
  const begin = above.findLastIndex((row) => !choice.test(row.text)) + 1;
  const text = line.text.trim();
  const title = bare.test(text) ? titleAbove(above[begin - 1], text) : text;
  return menuOf(title, above.slice(begin));
}

/** Returns choices below the text that filters them, of which one is highlighted; null if none is. */
function filteredMenu(title: string, below: readonly ShownRow[], screen: ShownScreen): Menu | null {
  const end = below.findIndex((row) => isBlank(row) || row.col !== below[0]?.col);
  const choices = end < 0 ? below : below.slice(0, end);
  const parts = choices.map(({ row, col, text }) => ({ row, from: col, to: col + text.length }));
  const selected = choices.length > 1 ? emphasized(parts, screen) : null;
  if (selected === null) return null;
  const options = choices.map(({ text }) => text);
  return { title, options, selected, multiple: false, keys: '' };
}

const titleAbove = (row: ShownRow | undefined, text: string): string =>
  row !== undefined && /[:?]$/u.test(row.text) ? row.text : text;

/** `↑↓ select  enter submit  esc dismiss` */
const takes =
  /(?:\b(?:enter|return)\b|[⏎↵])\W{0,3}(?:to )?(?:select|submit|confirm|choose|toggle)\b/iu;
const leaves = /\besc(?:ape)?\b|\bctrl[+-]c\b|⎋/iu;

/**
 * Returns choices with numbers of which one is only highlighted, with the keys that take it below them; null if there are
 * none.
 */
export function highlightedChoices(rows: readonly ShownRow[], screen: ShownScreen): Menu | null {
  const at = rows.findLastIndex(({ text }) => takes.test(text) && leaves.test(text));
  const keys = rows[at];
  const below = rows.slice(at + 1).filter((row) => !isBlank(row) && !row.isRule);
  if (keys === undefined || below.length > maxBelow || hasField(below)) return null;
  const inBox = boxedChoices(rows.slice(0, at), screen);
  if (inBox !== null) return { ...inBox, keys: keys.text };
  const choices: { readonly row: ShownRow; readonly index: number }[] = [];
  for (let index = at - 1; index >= 0; index--) {
    const row = rows[index] as ShownRow;
    const first = choices[0];
    const isNext = first === undefined || numberOf(first.row.text) === numberOf(row.text) + 1;
    const isBeside = first === undefined || row.col === first.row.col;
    if (choice.test(row.text) && isNext && isBeside) choices.unshift({ row, index });
    else if (first !== undefined && !isBlank(row) && row.col <= first.row.col) break;
    if (choices.length > 1 && numberOf(choices[0]?.row.text ?? '') === 1) break;
  }
  const [first] = choices;
  if (first === undefined || choices.length < 2 || numberOf(first.row.text) !== 1) return null;
  const parts = choices.map(({ row: { row, col, text } }) => ({
    row,
    from: col,
    to: col + text.length,
  }));
  const title = questionText(questionAbove(rows, first.index)?.text ?? '');
  const options = choices.map(({ row }) => row.text);
  return { title, options, selected: emphasized(parts, screen), multiple: false, keys: keys.text };
}

/** Choices without numbers that fill the box above their keys, as in Droid. One of them stands out. */
function boxedChoices(rows: readonly ShownRow[], screen: ShownScreen): Menu | null {
  const bottom = rows.findLastIndex((row) => !isBlank(row));
  const top = rows.slice(0, Math.max(0, bottom)).findLastIndex(({ isRule }) => isRule);
  const inside = rows.slice(top + 1, bottom);
  const isList =
    rows[bottom]?.isRule === true &&
    top >= 0 &&
    inside.length > 1 &&
    inside.every((row) => !isBlank(row) && row.col === inside[0]?.col);
  if (!isList) return null;
  const parts = inside.map(({ row, col, text }) => ({ row, from: col, to: col + text.length }));
  const selected = emphasized(parts, screen);
  if (selected === null) return null;
  const title = questionText(questionAbove(rows, top)?.text ?? '');
  return { title, options: inside.map(({ text }) => text), selected, multiple: false, keys: '' };
}

function menuOf(title: string, rows: readonly ShownRow[]): Menu | null {
  // `select` puts them in columns, each from top to bottom.
  const options = rows
    .flatMap(({ text }) => text.split(/\s{2,}(?=\d{1,3}\))/u))
    .map((text) => text.trim())
    .sort((a, b) => numberOf(a) - numberOf(b));
  const [first = ''] = options;
  const isList =
    options.length > 1 &&
    numberOf(first) <= 1 &&
    options.every((option, index) => numberOf(option) === numberOf(first) + index);
  return isList ? { title, options, selected: null, multiple: false, keys: '' } : null;
}
