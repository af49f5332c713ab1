import { type Cell, isSameStyle, type Style } from '#model';
import { type CellColors, cellColors, type PictureColors } from '../screen-picture.ts';
import { firstShape, shapeOf } from '../shapes/shape-of.ts';

/** Neighbouring cells of a row that look the same and take as many columns each. */
export interface RowRun {
  readonly col: number;
  readonly cols: number;
  readonly text: string;
  readonly style: Style;
  readonly colors: CellColors;
  /** Whether its characters are drawn as shapes. */
  readonly isShapes: boolean;
}

/** Returns a row as runs, without trailing blanks in plain style. */
export function rowRuns(cells: readonly Cell[], colors: PictureColors): RowRun[] {
  const runs: RowRun[] = [];
  let width = 0;
  cells.forEach((cell, col) => {
    if (cell.width === 0) return;
    const isShapes = isShape(cell.text);
    const last = runs.at(-1);
    if (
      last !== undefined &&
      last.isShapes === isShapes &&
      width === cell.width &&
      isSameStyle(last.style, cell.style)
    ) {
      runs[runs.length - 1] = {
        ...last,
        cols: last.cols + cell.width,
        text: last.text + cell.text,
      };
    } else {
      const { text, style } = cell;
      const run = { col, cols: cell.width, text, style, isShapes };
      runs.push({ ...run, colors: cellColors(style, colors) });
    }
    width = cell.width;
  });
  const last = runs.at(-1);
  if (last !== undefined && isBlank(last, colors)) runs.pop();
  return runs;
}

const isShape = (text: string): boolean =>
  (text.codePointAt(0) ?? 0) >= firstShape && shapeOf(text, { width: 10, height: 20 }) !== null;

function isBlank({ text, style, colors: { background } }: RowRun, colors: PictureColors): boolean {
  if (text.trim() !== '' || background !== colors.background) return false;
  return style.underline === 'none' && !style.strikethrough && !style.overline;
}
