import type { LineFinder, LineScan } from '#model';
import type { CellBuffer } from '../cells/cell.ts';
import type { ClusterTable } from '../cells/cluster-table.ts';
import type { Grid } from '../grid/grid.ts';
import type { StyleTable } from '../style/style-table.ts';
import type { CursorState } from './cursor-state.ts';
import type { Modes } from './modes.ts';

/** Where the lines above the screen end; see `Scrollback`. */
export interface ScrollbackPosition {
  readonly nextLine: number;
  readonly open: boolean;
  readonly openCells: number;
  readonly pushedRows: number;
}

/** The lines above the screen as readers see them; see `Scrollback`. */
export interface VisibleScrollback extends ScrollbackPosition {
  readonly firstLine: number;
  text(line: number, withTabs: boolean): string;
  /**
   * Bytes of UTF-8 in the text of the lines from `from` up to but excluding `to`, with one line
   * feed per line.
   */
  textBytes(from: number, to: number): number;
  scan(from: number, to: number, find: LineFinder): LineScan;
  readLine(line: number, into: CellBuffer): void;
}

/** The state that readers see: the current state of the terminal, or its last complete frame. */
export interface VisibleState {
  readonly cols: number;
  readonly rows: number;
  readonly grid: Grid;
  readonly primary: Grid;
  readonly onAlternate: boolean;
  readonly cursor: CursorState;
  /** While the alternate screen is shown: the cursor on the primary screen before it was shown. */
  readonly primaryCursor: CursorState;
  readonly modes: Pick<Modes, 'cursorVisible' | 'cursorShape' | 'cursorBlinking' | 'reverseVideo'>;
  /** The colours that differ from the initial ones, as in `Palette`. */
  readonly colors: ReadonlyMap<number, number>;
  readonly scrollback: VisibleScrollback;
  /** The number of the line in the topmost row of the primary screen. */
  readonly topLine: number;
  readonly styles: StyleTable;
  readonly clusters: ClusterTable;
}
