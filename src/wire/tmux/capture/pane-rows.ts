import type { Cell, Coordinator, Cursor, SessionRef } from '#model';

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
 * @throws VtrError
 */
export async function paneRows(
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
  const history = rowsOf(read.lines.filter(({ number }) => number < topLine));
  const primary = rowsOf(read.lines.filter(({ number }) => number >= topLine));
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

/** Reads the rows above the screen, from a line on. @throws VtrError */
export async function historyRows(
  coordinator: Coordinator,
  session: SessionRef,
  cols: number,
  from: number,
): Promise<readonly Row[]> {
  const { firstLine, topLine } = await coordinator.readLines(session, { from: 0, to: 0 });
  if (Math.max(firstLine, from) >= topLine) return [];
  const { lines } = await coordinator.readLines(session, { from, to: topLine, format: 'cells' });
  return lines.flatMap((line) => wrappedRows(line.cells ?? [], cols));
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
