import type { Menu } from '#model';
import { emphasized } from './option-list.ts';
import { isLibraryQuestion, questionText } from './question-above.ts';
import { isBlank, type ShownRow, type ShownScreen } from './shown-rows.ts';

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
  const asked = line.text.trim();
  const title = bare.test(asked) ? titleAbove(above[begin - 1], asked) : asked;
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

const titleAbove = (row: ShownRow | undefined, asked: string): string =>
  row !== undefined && /[:?]$/u.test(row.text) ? row.text : asked;

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
