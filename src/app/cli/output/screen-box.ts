import { type PlainText, sanitize } from '#base';
import type { Cell, ScreenSnapshot } from '#model';
import { isNarrow, widthsFor } from './text-widths.ts';

/** Whether the width of each row is known from its text, without cells. */
export function isPlain({ text }: ScreenSnapshot): boolean {
  return text.every(isNarrow);
}

/**
 * Draws the screen in a frame with the session's name, and a block for a cursor on a blank.
 * Invisible characters are removed cell by cell, so that columns stay aligned.
 *
 * @param screen with cells unless {@link isPlain}
 */
export async function screenBox(session: string, screen: ScreenSnapshot): Promise<PlainText> {
  const { cols, rows } = screen.size;
  const { cells = [] } = screen;
  const title = `─ ${session} (${cols}×${rows}) `;
  const { textWidth } = await widthsFor([title]);
  const titleWidth = textWidth(title);
  const width = Math.max(cols, titleWidth);
  const lines = Array.from({ length: rows }, (_, row) => `│${filled(rowOf(screen, row), width)}│`);
  const top = `┌${title}${'─'.repeat(width - titleWidth)}┐`;
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

/** Returns one text per column; the right half of a wide character is empty. */
function cellsOf({ text, cells }: ScreenSnapshot, row: number): string[] {
  const known = cells?.[row];
  return known === undefined ? [...(text[row] ?? '')] : known.map(plainText);
}

/** A cell with only invisible characters becomes blank. */
const plainText = ({ text, width }: Cell): string =>
  text === '' ? '' : sanitize(text).text || ' '.repeat(width);
