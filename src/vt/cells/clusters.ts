import type { Cell, Style } from '#model';
import { joins, widthAlone, widthWith } from './graphemes.ts';

/** A grapheme cluster of a text, and its width in cells. */
export interface Cluster {
  readonly text: string;
  readonly width: number;
}

/**
 * Returns the clusters of a text as in mode 2027. Characters without a width that follow no other are left out.
 *
 * @param text without control characters
 */
export function clustersOf(text: string): readonly Cluster[] {
  const clusters: Cluster[] = [];
  let cluster: number[] = [];
  let width = 0;
  const end = () => {
    if (cluster.length > 0) clusters.push({ text: String.fromCodePoint(...cluster), width });
  };
  for (const character of text) {
    const codePoint = character.codePointAt(0) as number;
    const alone = codePoint < 0x80 ? 1 : widthAlone(codePoint);
    if (cluster.length > 0 && codePoint >= 0x80 && (alone === 0 || joins(cluster, codePoint))) {
      width = widthWith(cluster, width, codePoint);
      cluster.push(codePoint);
    } else if (alone > 0) {
      end();
      cluster = [codePoint];
      width = alone;
    }
  }
  end();
  return clusters;
}

const isAscii = /^[ -~]*$/;

/** Returns the number of cells that a text takes on one row. @param text without control characters */
export const textWidth = (text: string): number =>
  isAscii.test(text) ? text.length : clustersOf(text).reduce((sum, { width }) => sum + width, 0);

/**
 * Returns text as cells of one style: a cell per cluster, wide ones with a spacer cell after them.
 *
 * @param text without control characters
 */
export const textCells = (text: string, style: Style): Cell[] =>
  clustersOf(text).flatMap((cluster): Cell[] =>
    cluster.width === 2
      ? [
          { text: cluster.text, width: 2, style },
          { text: '', width: 0, style },
        ]
      : [{ text: cluster.text, width: 1, style }],
  );
