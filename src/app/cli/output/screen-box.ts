import { type PlainText, sanitize } from '#base';
import type { Cell, ScreenSnapshot } from '#model';

/** Characters of which every terminal agrees that they take one column each. */
const narrow = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2500-\u259f]*$/;

/** Whether `text` alone tells how wide each row is, without the engine's cells. */
export function isPlain({ text }: ScreenSnapshot): boolean {
  return text.every((row) => narrow.test(row));
}

/**
 * The screen in a frame that names the session, with a block where the cursor stands on a blank.
 * What is invisible is taken out cell by cell, so that the columns stay where they are.
 *
 * @param screen with cells, where it is not plain
 */
export function screenBox(session: string, screen: ScreenSnapshot): PlainText {
  const { cols, rows } = screen.size;
  const { cells = [] } = screen;
  const title = `─ ${session} (${cols}×${rows}) `;
  const width = Math.max(cols, title.length);
  const lines = Array.from({ length: rows }, (_, row) => `│${filled(rowOf(screen, row), width)}│`);
  const top = `┌${title}${'─'.repeat(width - title.length)}┐`;
  return {
    text: [top, ...lines, `└${'─'.repeat(width)}┘`, ''].join('\n'),
    removed: cells.flat().reduce((sum, { text }) => sum + sanitize(text).removed, 0),
  };
}

interface Row {
  readonly text: string;
  readonly columns: number;
}

const filled = ({ text, columns }: Row, width: number): string =>
  text + ' '.repeat(Math.max(0, width - columns));

function rowOf(screen: ScreenSnapshot, row: number): Row {
  const cells = cellsOf(screen, row);
  const { cursor } = screen;
  if (cursor.visible && cursor.row === row && (cells[cursor.col] ?? ' ') === ' ') {
    while (cells.length < cursor.col) cells.push(' ');
    cells[cursor.col] = '█';
  }
  return { text: cells.join(''), columns: cells.length };
}

/** A text a column; the right half of a wide character is an empty one. */
function cellsOf({ text, cells }: ScreenSnapshot, row: number): string[] {
  const known = cells?.[row];
  return known === undefined ? [...(text[row] ?? '')] : known.map(plainText);
}

/** A cell of which nothing is left is a blank. */
const plainText = ({ text, width }: Cell): string =>
  text === '' ? '' : sanitize(text).text || ' '.repeat(width);
