import type { Cell, Style } from '#model';
import { tailCell } from './cell.ts';
import { cellText } from './cell-text.ts';
import type { ClusterTable } from './cluster-table.ts';
import type { StyleTable } from './style-table.ts';
import { defaultStyle } from './style-word.ts';

/** The text of cells with an ASCII character, by code; an empty cell's is 0. */
const asciiTexts = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code || 0x20));

/** The cells `start` up to and without `end` in the words of the model. */
export function cellObjects(
  codes: Int32Array,
  cellStyles: Int32Array,
  start: number,
  end: number,
  styles: StyleTable,
  clusters: ClusterTable,
): Cell[] {
  const cells: Cell[] = [];
  // Most cells look as the one before.
  let word = defaultStyle;
  let style: Style = styles.view(word);
  for (let at = start; at < end; at++) {
    if (cellStyles[at] !== word) {
      word = cellStyles[at];
      style = styles.view(word);
    }
    const code = codes[at];
    if (code < 0x80) cells.push({ text: asciiTexts[code], width: 1, style });
    else {
      // On a screen of one column a wide character is clipped.
      const isWhole = at + 1 < end && codes[at + 1] === tailCell;
      const width = code === tailCell ? 0 : isWhole ? 2 : 1;
      cells.push({ text: cellText(code, clusters), width, style });
    }
  }
  return cells;
}
