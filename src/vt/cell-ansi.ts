import { cellsText } from './cell-text.ts';
import type { ClusterTable } from './cluster-table.ts';
import { sgrOfStyle } from './sgr-text.ts';
import { defaultStyle, type StyleTable } from './style-table.ts';

/**
 * The text of the cells `start` up to and without `end`, with SGR sequences where the style changes.
 * Begins and ends in the default style.
 */
export function cellsAnsi(
  codes: Int32Array,
  cellStyles: Int32Array,
  start: number,
  end: number,
  styles: StyleTable,
  clusters: ClusterTable,
): string {
  let text = '';
  let style: number = defaultStyle;
  for (let at = start; at < end; ) {
    const from = at;
    const next = cellStyles[at];
    do at++;
    while (at < end && cellStyles[at] === next);
    if (next !== style) text += sgrOfStyle(next, styles);
    style = next;
    text += cellsText(codes, from, at, clusters);
  }
  return style === defaultStyle ? text : text + sgrOfStyle(defaultStyle, styles);
}
