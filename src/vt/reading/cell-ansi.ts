import { cellsText, tabbedText } from '../cells/cell-text.ts';
import type { ClusterTable } from '../cells/cluster-table.ts';
import { linkNumber } from '../style/attributes.ts';
import { linkSequence } from '../style/link-table.ts';
import { sgrOfStyle } from '../style/sgr-text.ts';
import type { StyleTable } from '../style/style-table.ts';
import { defaultStyle } from '../style/style-word.ts';

/**
 * The text of the cells from `start` up to but excluding `end`, with SGR sequences where the style
 * changes and OSC 8 where a link begins or ends. Begins and ends in the default style.
 *
 * @param withTabs whether the cells that a tab moved over are a tab rather than spaces
 */
export function cellsAnsi(
  codes: Int32Array,
  cellStyles: Int32Array,
  start: number,
  end: number,
  styles: StyleTable,
  clusters: ClusterTable,
  withTabs: boolean,
): string {
  const textOf = withTabs ? tabbedText : cellsText;
  let text = '';
  let style: number = defaultStyle;
  for (let at = start; at < end; ) {
    const from = at;
    const next = cellStyles[at];
    do at++;
    while (at < end && cellStyles[at] === next);
    if (next !== style) text += styleChange(style, next, styles);
    style = next;
    text += textOf(codes, from, at, clusters);
  }
  return style === defaultStyle ? text : text + styleChange(style, defaultStyle, styles);
}

/** Returns the sequences that change one style to another: SGR and, if the link differs, OSC 8. */
function styleChange(from: number, to: number, styles: StyleTable): string {
  const isSame = linkNumber(styles.attributes(from)) === linkNumber(styles.attributes(to));
  return sgrOfStyle(to, styles) + (isSame ? '' : linkSequence(styles.link(to)));
}
