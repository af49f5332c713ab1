import type { Cell, Style } from '#model';
import { joins, widthAlone, widthWith } from '../cells/graphemes.ts';

/**
 * Returns text as cells of one style: a cell per grapheme as in mode 2027, wide ones with a spacer cell
 * after them. Characters without a width that follow no other are left out.
 *
 * @param text without control characters
 */
export function textCells(text: string, style: Style): Cell[] {
  const cells: Cell[] = [];
  let cluster: number[] = [];
  let width = 0;
  const end = () => {
    if (cluster.length > 0) pushCell(cells, String.fromCodePoint(...cluster), width, style);
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
  return cells;
}

function pushCell(cells: Cell[], text: string, width: number, style: Style): void {
  if (width === 2) cells.push({ text, width: 2, style }, { text: '', width: 0, style });
  else cells.push({ text, width: 1, style });
}
