import { type Cell, cellsText, type ScreenSnapshot, styledRuns } from '#model';

/** A part of the screen; 0-based row and column. */
export interface Region {
  readonly row: number;
  readonly col: number;
  readonly rows: number;
  readonly cols: number;
}

/** A pattern whose matches in a row are not compared. */
export interface Mask {
  findAll(row: string): readonly { readonly start: number; readonly end: number }[];
}

export interface GoldenRequest {
  readonly masks: readonly Mask[];
  /** Null for the whole screen. */
  readonly region: Region | null;
  /** Whether colours and attributes are compared. */
  readonly styles: boolean;
}

/** Stands for text that a mask matched. */
const masked = '[..]';

/**
 * Returns a screen as the text of a golden: a line with its size and cursor, the rows without trailing
 * blanks, and with `styles` the runs of each row that are not in plain style, by their columns.
 *
 * @param screen with cells
 */
export function goldenText(screen: ScreenSnapshot, request: GoldenRequest): string {
  const { region } = request;
  const { row, col, rows, cols } = region ?? { row: 0, col: 0, ...screen.size };
  const shown = (screen.cells ?? [])
    .slice(row, row + rows)
    .map((cells) => cells.slice(col, col + cols));
  const lines = shown.map((row) => maskedRow(cellsText(row), request.masks));
  const end = lines.findLastIndex((line) => line !== '') + 1;
  return [
    headerOf(screen, region),
    ...lines.slice(0, end),
    ...(request.styles ? ['--- styles', ...shown.flatMap(stylesOf)] : []),
    '',
  ].join('\n');
}

function headerOf({ size, cursor, alternate }: ScreenSnapshot, region: Region | null): string {
  const { row, col, visible, shape } = cursor;
  const isInside =
    region === null ||
    (row >= region.row &&
      row < region.row + region.rows &&
      col >= region.col &&
      col < region.col + region.cols);
  return [
    `vtr ${size.cols}x${size.rows}`,
    ...(region === null
      ? []
      : [`region ${region.row},${region.col},${region.rows},${region.cols}`]),
    ...(visible && isInside ? [`cursor ${row},${col}${shape === 'block' ? '' : ` ${shape}`}`] : []),
    ...(alternate ? ['alt'] : []),
  ].join(' ');
}

function maskedRow(row: string, masks: readonly Mask[]): string {
  return masks.reduce(
    (text, mask) =>
      mask
        .findAll(text)
        .toReversed()
        .reduce((rest, { start, end }) => rest.slice(0, start) + masked + rest.slice(end), text),
    row,
  );
}

/** Returns one line for a row that has styles: `3: 0-5 bold fg=4; 10-20 inverse`. */
function stylesOf(cells: readonly Cell[], row: number): string[] {
  const runs = styledRuns(cells).map(({ from, to, style }) => `${from}-${to} ${style}`);
  return runs.length === 0 ? [] : [`${row}: ${runs.join('; ')}`];
}
