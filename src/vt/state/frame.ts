import type { LineFinder, LineScan } from '#model';
import { CellBuffer, emptyCell } from '../cells/cell.ts';
import type { ClusterTable } from '../cells/cluster-table.ts';
import type { Grid } from '../grid/grid.ts';
import type { StyleTable } from '../style/style-table.ts';
import { defaultStyle } from '../style/style-word.ts';
import { CursorState } from './cursor-state.ts';
import type { ScrollbackPosition, VisibleScrollback, VisibleState } from './visible-state.ts';

/**
 * Larger screens, in cells, are not copied: 4 KiB of output can begin hundreds of frames and must
 * not cost more than 50 ms.
 */
const maxCells = 64 * 1024;

/**
 * A copy of the screen from when the program began to draw the next frame (mode 2026). Readers see
 * it until that frame is complete.
 */
export class Frame implements VisibleState {
  readonly cols: number;
  readonly rows: number;
  readonly grid: Grid;
  readonly primary: Grid;
  readonly cursor = new CursorState();
  readonly primaryCursor = new CursorState();
  readonly modes: VisibleState['modes'];
  readonly colors: VisibleState['colors'];
  readonly scrollback: VisibleScrollback;
  readonly styles: StyleTable;
  readonly clusters: ClusterTable;
  /** The revision of the copied screen. */
  readonly revision: number;

  /** @param position where the scrollback ends in the frame */
  constructor(
    t: VisibleState & { readonly revision: number },
    position: ScrollbackPosition = t.scrollback,
  ) {
    this.cols = t.cols;
    this.rows = t.rows;
    this.primary = t.primary.copy();
    this.grid = t.onAlternate ? t.grid.copy() : this.primary;
    this.cursor.copyFrom(t.cursor);
    this.primaryCursor.copyFrom(t.primaryCursor);
    const { cursorVisible, cursorShape, cursorBlinking, reverseVideo } = t.modes;
    this.modes = { cursorVisible, cursorShape, cursorBlinking, reverseVideo };
    this.colors = t.colors;
    this.scrollback = new FrozenScrollback(t.scrollback, position);
    this.styles = t.styles;
    this.clusters = t.clusters;
    this.revision = t.revision;
  }

  static fits({ cols, rows }: Pick<VisibleState, 'cols' | 'rows'>): boolean {
    return cols * rows <= maxCells;
  }

  get onAlternate(): boolean {
    return this.grid !== this.primary;
  }

  get topLine(): number {
    return this.scrollback.nextLine;
  }

  /** Its grids, each once. */
  get grids(): Grid[] {
    return this.onAlternate ? [this.primary, this.grid] : [this.primary];
  }
}

/** The scrollback without the lines added since. Lines removed since are missing. */
class FrozenScrollback implements VisibleScrollback {
  readonly #now: VisibleScrollback;
  readonly nextLine: number;
  readonly open: boolean;
  readonly openCells: number;
  readonly pushedRows: number;

  constructor(now: VisibleScrollback, position: ScrollbackPosition) {
    this.#now = now;
    this.nextLine = position.nextLine;
    this.open = position.open;
    this.openCells = position.openCells;
    this.pushedRows = position.pushedRows;
  }

  get firstLine(): number {
    return Math.min(this.#now.firstLine, this.nextLine);
  }

  text(line: number, withTabs: boolean): string {
    return this.#now.text(line, withTabs);
  }

  textBytes(from: number, to: number): number {
    return this.#now.textBytes(from, to);
  }

  scan(from: number, to: number, find: LineFinder): LineScan {
    return this.#now.scan(from, to, find);
  }

  readLine(line: number, into: CellBuffer): void {
    if (line < this.nextLine) {
      this.#now.readLine(line, into);
      return;
    }
    // The open line may have grown, or it may have ended and lost its trailing empty cells.
    const whole = new CellBuffer();
    this.#now.readLine(line, whole);
    while (whole.length < this.openCells) whole.push(emptyCell, defaultStyle);
    into.append(whole.codes, whole.styles, 0, this.openCells);
  }
}
