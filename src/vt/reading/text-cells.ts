import type { Cell, Run, Style } from '#model';
import { clusterWidth, joins, widthAlone, widthWith } from '../cells/graphemes.ts';
import { asciiCell } from './shared-cells.ts';

/** The style of a cell that nothing was written to. */
export const plainStyle: Style = {
  fg: null,
  bg: null,
  underlineColor: null,
  underline: 'none',
  bold: false,
  dim: false,
  italic: false,
  blink: false,
  inverse: false,
  hidden: false,
  strikethrough: false,
  overline: false,
  link: null,
};

const blank: Cell = { text: ' ', width: 1, style: plainStyle };

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

/** Returns a row of a frame as exactly `cols` cells. A wide character that does not fit is a blank. */
export function runsCells(runs: readonly Run[], cols: number): Cell[] {
  const cells: Cell[] = [];
  for (const run of runs) {
    if (cells.length >= cols) break;
    pushRun(cells, run);
  }
  while (cells.length < cols) cells.push(blank);
  if (cells.length > cols) cells.length = cols;
  const last = cells[cols - 1];
  if (last?.width === 2) cells[cols - 1] = { text: ' ', width: 1, style: last.style };
  return cells;
}

function pushRun(cells: Cell[], { text, cols, cluster, style }: Run): void {
  const end = cells.length + cols;
  if (cluster === true) pushCell(cells, text, cols, style);
  else if (text.length === cols) pushNarrow(cells, text, style);
  else for (const character of text) pushCell(cells, character, widthOf(character), style);
  // Only a sender with other widths sends fewer or more.
  while (cells.length < end) cells.push({ text: ' ', width: 1, style });
  if (cells.length === end) return;
  cells.length = end;
  if (cells[end - 1]?.width === 2) cells[end - 1] = { text: ' ', width: 1, style };
}

/** Text of as many UTF-16 code units as columns has wide characters only among astral narrow ones. */
function pushNarrow(cells: Cell[], text: string, style: Style): void {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) cells.push(asciiCell(code, style));
    else {
      const character = String.fromCodePoint(text.codePointAt(at) as number);
      pushCell(cells, character, widthOf(character), style);
      at += character.length - 1;
    }
  }
}

const widthOf = (character: string): number => clusterWidth([character.codePointAt(0) as number]);
