import type { Cursor, ScreenSnapshot } from 'vtr';

/**
 * A screen as text in a frame, with its cursor: a block where the cell is blank, otherwise drawn by
 * `invert`, which must not change the text. Rows and columns count from 0.
 */
export function screenBox(
  name: string,
  { size, text, cursor, alternate }: ScreenSnapshot,
  invert: (text: string) => string,
): string[] {
  const kind = alternate ? ', alternate screen' : '';
  const rows = Array.from({ length: size.rows }, (_, row) => {
    const cells = [...(text[row] ?? '').padEnd(size.cols)];
    return `│${withCursor(cells, row, cursor, invert).join('')}│`;
  });
  return [
    `┌${caption(`${name} (${size.cols}×${size.rows}${kind})`, size.cols)}┐`,
    ...rows,
    `└${caption(cursorText(cursor), size.cols)}┘`,
  ];
}

function withCursor(
  cells: string[],
  row: number,
  cursor: Cursor,
  invert: (text: string) => string,
): string[] {
  const under = cells[cursor.col];
  if (!cursor.visible || cursor.row !== row || under === undefined) return cells;
  return cells.with(cursor.col, under === ' ' ? '█' : invert(under));
}

const cursorText = ({ visible, row, col }: Cursor): string =>
  visible ? `cursor: row ${row}, column ${col}` : 'cursor: hidden';

const caption = (text: string, cols: number): string => `─ ${text} `.padEnd(cols, '─');
