import {
  type Cell,
  type Coordinator,
  type Cursor,
  cellsOfRuns,
  plainStyle,
  type SessionRef,
} from '#model';

/** A row as tmux sees it. */
export interface Row {
  readonly cells: readonly Cell[];
  /** How many cells the program has written. */
  readonly used: number;
  /** Whether the line continues in the next row. */
  readonly wrapped: boolean;
}

export interface PaneScreen {
  readonly cursor: Cursor;
  readonly alternate: boolean;
  readonly cols: number;
  readonly rows: number;
}

/** Reads the cursor and the size of a screen. @throws VtrError */
export async function paneScreen(
  coordinator: Coordinator,
  session: SessionRef,
): Promise<PaneScreen> {
  const { cursor, alternate, size } = await coordinator.screen(session);
  return { cursor, alternate, ...size };
}

/** The rows of a pane: those above the screen, oldest first, and the screen. */
export interface PaneRows {
  readonly history: readonly Row[];
  readonly screen: readonly Row[];
  /** The primary screen while the alternate one is shown; null if it is not. */
  readonly behind: readonly Row[] | null;
}

/**
 * Reads the rows of a pane.
 *
 * @param firstLine from which on rows above the screen are needed; null: none
 * @param lastRow what tmux writes under the output of a program that has ended; empty: nothing
 * @throws VtrError
 */
export async function paneRows(
  coordinator: Coordinator,
  session: SessionRef,
  firstLine: number | null,
  lastRow = '',
): Promise<PaneRows> {
  const rows = await writtenRows(coordinator, session, firstLine);
  return lastRow === '' ? rows : withLastRow(rows, lastRow);
}

/** The screen moves up by one row; its top row becomes history, but not that of the alternate screen. */
function withLastRow({ history, screen, behind }: PaneRows, text: string): PaneRows {
  const [top, ...rest] = screen;
  const cells = cellsOfRuns(
    [{ text, cols: [...text].length, style: plainStyle }],
    [...text].length,
  );
  const last = { cells, used: cells.length, wrapped: false };
  const above = behind !== null || top === undefined ? [] : [top];
  return { history: [...history, ...above], screen: [...rest, last], behind };
}

async function writtenRows(
  coordinator: Coordinator,
  session: SessionRef,
  firstLine: number | null,
): Promise<PaneRows> {
  const screen = await coordinator.screen(session, { format: 'cells' });
  const { size, topLine, alternate, cells = [] } = screen;
  const from = Math.min(firstLine ?? topLine, topLine);
  const read = await coordinator.readLines(session, { from, format: 'cells' });
  const rowsOf = (lines: typeof read.lines) =>
    lines.flatMap((line) => wrappedRows(line.cells ?? [], size.cols));
  const ofScreen = rowsOf(read.lines.filter(({ number }) => number >= topLine));
  const above = rowsAbove(ofScreen, alternate ? null : cells, size.rows);
  // After clear-history, the beginning of the top line is not history.
  const isCleared = firstLine !== null && firstLine > 0 && firstLine >= topLine;
  const history = [
    ...rowsOf(read.lines.filter(({ number }) => number < topLine)),
    ...(isCleared ? [] : ofScreen.slice(0, above)),
  ];
  const primary = ofScreen.slice(above);
  const filled = Array.from(
    { length: size.rows },
    (_none, at): Row => primary[at] ?? { cells: [], used: 0, wrapped: false },
  );
  if (!alternate) {
    // The rows of the screen are as they are drawn; their lines tell which of them continue.
    const shown = cells.map((row, at) => {
      const { used = 0, wrapped = false } = filled[at] ?? {};
      return { cells: row, used: Math.max(used, writtenCells(row)), wrapped };
    });
    return { history, screen: shown, behind: null };
  }
  const shown = cells.map((row) => ({ cells: row, used: writtenCells(row), wrapped: false }));
  return { history, screen: shown, behind: filled };
}

/**
 * Returns how many rows of the lines on the screen are above it: the first line may begin there.
 *
 * @param rows of the lines on the screen, as far as they are used
 * @param shown the rows of the screen; null if it is not known, because the alternate screen is shown
 */
function rowsAbove(
  rows: readonly Row[],
  shown: readonly (readonly Cell[])[] | null,
  count: number,
): number {
  const least = Math.max(0, rows.length - count);
  if (shown === null) return least;
  const last = rows.findLastIndex(({ cells }) => writtenCells(cells) > 0);
  const lastShown = shown.findLastIndex((cells) => writtenCells(cells) > 0);
  return Math.max(least, last - lastShown);
}

/** The cells up to the last one that is not blank. */
const writtenCells = (cells: readonly Cell[]): number =>
  cells.findLastIndex(({ text }) => text !== ' ') + 1;

/** Breaks a line into rows: a wide character that does not fit begins the next one. */
function wrappedRows(cells: readonly Cell[], cols: number): Row[] {
  const rows: Row[] = [];
  let from = 0;
  do {
    let to = Math.min(from + cols, cells.length);
    if (to < cells.length && cells[to]?.width === 0) to--;
    rows.push({ cells: cells.slice(from, to), used: to - from, wrapped: to < cells.length });
    from = to;
  } while (from < cells.length);
  return rows;
}
