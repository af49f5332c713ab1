import { emptyCell } from '../cells/cell.ts';
import { clusterWidth } from '../cells/graphemes.ts';
import { charWidth } from '../cells/width.ts';
import { restoreOperation } from '../functions/restoring.ts';
import { restore } from './dump-settings.ts';

/**
 * Cells are dumped with mode 2027 off: the first character determines the width, and characters
 * without a width join it. A cluster that only forms in mode 2027 is printed in that mode, except
 * its first character, which must not join the cell before it.
 */
export function clusterOutput(codePoints: readonly number[], width: 1 | 2): string {
  const [first, ...rest] = codePoints;
  const own = Math.max(1, charWidth(first));
  if (own === width && rest.every((point) => charWidth(point) === 0)) {
    return String.fromCodePoint(...codePoints);
  }
  const isPrinted =
    rest.length > 0 &&
    charWidth(first) > 0 &&
    width >= own &&
    clusterWidth(codePoints, own) === width;
  if (!isPrinted) return restore(restoreOperation.cluster, width, first, ...rest);
  return `${String.fromCodePoint(first)}\x1b[?2027h${String.fromCodePoint(...rest)}\x1b[?2027l`;
}

/**
 * Moves over cells that look empty.
 *
 * @param isErased whether they have a style, which only erasing gives them
 * @param code of the cells
 */
export function emptyOutput(count: number, isErased: boolean, code: number): string {
  const erased = isErased ? `\x1b[${count}X` : '';
  const tab = code === emptyCell ? '' : restore(restoreOperation.tab, code, count);
  return `${erased}${tab}\x1b[${count}C`;
}
