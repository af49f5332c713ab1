import type { Cell } from '#model';
import { tailCell } from './cell.ts';
import { cellText } from './cell-text.ts';
import type { ClusterTable } from './cluster-table.ts';
import type { StyleTable } from './style-table.ts';

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
  for (let at = start; at < end; at++) {
    const code = codes[at];
    // On a screen of one column a wide character is clipped.
    const isWhole = at + 1 < end && codes[at + 1] === tailCell;
    cells.push({
      text: cellText(code, clusters),
      width: code === tailCell ? 0 : isWhole ? 2 : 1,
      style: styles.view(cellStyles[at]),
    });
  }
  return cells;
}
