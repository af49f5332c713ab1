import type { Cell, ScreenSnapshot } from '#model';
import type { AttachedWindow, WindowScreen } from './attached-windows.ts';

/** Returns how a window differs from the screen of the session in it; empty if it does not. */
export function windowDifferences(
  session: ScreenSnapshot,
  { name, tells }: AttachedWindow,
  shown: WindowScreen,
): string[] {
  const differences: string[] = [];
  for (const [row, cells] of (session.cells ?? []).entries()) {
    const is = wordsOf(shown.rows[row] ?? [], tells);
    const should = wordsOf(cells, tells);
    const col = should.findIndex((word, at) => word !== is[at]);
    if (col >= 0) differences.push(`${name} ${row},${col}: ${is[col]} instead of ${should[col]}`);
  }
  const { row, col, visible } = session.cursor;
  const isTold = shown.cursor.row >= 0 && visible;
  if (isTold && (shown.cursor.row !== row || shown.cursor.col !== col)) {
    const { cursor } = shown;
    differences.push(`${name} cursor: ${cursor.row},${cursor.col} instead of ${row},${col}`);
  }
  return differences;
}

/** One word per cell, up to the last with text. */
function wordsOf(cells: readonly Cell[], tells: AttachedWindow['tells']): string[] {
  const end =
    tells === 'cells' ? cells.length : 1 + cells.findLastIndex(({ text }) => text !== ' ');
  return cells.slice(0, end).map(({ text, style }) => {
    // xterm tells nothing of a style, and composes characters; tmux reports an overline as a blink.
    if (tells === 'text') return style.hidden ? ' ' : text.normalize('NFC');
    const { fg, bg, underline, bold, dim, italic, blink, inverse, hidden, strikethrough } = style;
    const flags = { bold, dim, italic, blink, inverse, hidden, strikethrough };
    const set = Object.entries(flags).flatMap(([flag, isSet]) => (isSet ? flag : []));
    const isBlank = text === ' ' && underline === 'none' && !strikethrough && !inverse;
    return `${text} ${isBlank ? `on ${bg}` : [fg, bg, underline, ...set].join(' ')}`;
  });
}
