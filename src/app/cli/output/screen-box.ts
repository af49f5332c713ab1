import type { ScreenSnapshot } from '#model';

/** Characters of which every terminal agrees that they take one column each. */
const narrow = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2500-\u259f]*$/;

/** Whether `text` alone tells how wide each row is, without the engine's cells. */
export function isPlain({ text }: ScreenSnapshot): boolean {
  return text.every((row) => narrow.test(row));
}

/** The screen in a frame that names the session, with a block where the cursor stands on a blank. */
export function screenBox(session: string, screen: ScreenSnapshot): string {
  const { cols, rows } = screen.size;
  const title = `─ ${session} (${cols}×${rows}) `;
  const width = Math.max(cols, title.length);
  const lines = Array.from({ length: rows }, (_, row) => `│${filled(rowOf(screen, row), width)}│`);
  const top = `┌${title}${'─'.repeat(width - title.length)}┐`;
  return [top, ...lines, `└${'─'.repeat(width)}┘`, ''].join('\n');
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
  return known === undefined ? [...(text[row] ?? '')] : known.map((cell) => cell.text);
}
