import type { Cell, Style } from '#model';
import { spacerTail } from '../cells/cell.ts';
import { cellText } from '../cells/cell-text.ts';
import type { ClusterTable } from '../cells/cluster-table.ts';
import type { StyleTable } from '../style/style-table.ts';
import { defaultStyle } from '../style/style-word.ts';
import { asciiCell, sharedCell, sharedCells } from './shared-cells.ts';

/** Returns the cells from `start` up to but excluding `end` as objects of the model. */
export function cellObjects(
  codes: Int32Array,
  cellStyles: Int32Array,
  start: number,
  end: number,
  styles: StyleTable,
  clusters: ClusterTable,
): Cell[] {
  const cells = new Array<Cell>(end - start);
  // Most cells have the same style as the one before.
  let word = defaultStyle;
  let style: Style = styles.view(word);
  let shared = sharedCells(word, style);
  for (let at = start; at < end; at++) {
    if (cellStyles[at] !== word) {
      word = cellStyles[at];
      style = styles.view(word);
      shared = sharedCells(word, style);
    }
    const code = codes[at];
    if (code < 0x80) {
      if (shared === null) cells[at - start] = asciiCell(code, style);
      else cells[at - start] = shared[code] ??= sharedCell(code, style);
    } else {
      // On a screen of one column, a wide character is clipped.
      const isWhole = at + 1 < end && codes[at + 1] === spacerTail;
      const width = code === spacerTail ? 0 : isWhole ? 2 : 1;
      cells[at - start] = { text: cellText(code, clusters), width, style };
    }
  }
  return cells;
}
