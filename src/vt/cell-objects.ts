import type { Cell, Style } from '#model';
import { tailCell, wideFlag } from './cell.ts';
import { cellText } from './cell-text.ts';
import type { ClusterTable } from './cluster-table.ts';
import { defaultStyle, type StyleTable } from './style-table.ts';

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
  let id = -1;
  let style: Style = styles.view(defaultStyle);
  for (let at = start; at < end; at++) {
    if (cellStyles[at] !== id) {
      id = cellStyles[at];
      style = styles.view(id);
    }
    const code = codes[at];
    if (code < 0x80) cells.push({ text: asciiTexts[code], width: 1, style });
    else cells.push({ text: cellText(code, clusters), width: widthOf(code), style });
  }
  return cells;
}

function widthOf(code: number): Cell['width'] {
  if (code === tailCell) return 0;
  return (code & wideFlag) !== 0 ? 2 : 1;
}
