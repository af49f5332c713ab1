import { type CellPixels, defaultCellPixels } from '#model';
import { ClusterTable } from '../cells/cluster-table.ts';
import { Grid } from '../grid/grid.ts';
import { Scrollback, type ScrollbackLimits } from '../scrollback/scrollback.ts';
import { LinkTable } from '../style/link-table.ts';
import { Palette, type TerminalColors } from '../style/palette.ts';
import { Pen } from '../style/pen.ts';
import { SavedColors } from '../style/saved-colors.ts';
import { SavedPens } from '../style/saved-pens.ts';
import { StyleChanges } from '../style/style-changes.ts';
import { StyleTable } from '../style/style-table.ts';
import { Charsets } from './charsets.ts';
import { CursorState, SavedCursor } from './cursor-state.ts';
import { EventLog } from './event-log.ts';
import type { Frame } from './frame.ts';
import { KeyboardState } from './keyboard.ts';
import { Modes } from './modes.ts';
import { PrintedLines } from './printed-lines.ts';
import { ProgramReports } from './program-reports.ts';
import { ReplyQueue } from './reply-queue.ts';
import { Rewrites } from './rewrites.ts';
import { TabStops } from './tab-stops.ts';
import { Titles } from './titles.ts';

/** The options of a new terminal. */
export interface TerminalSetup {
  readonly cols: number;
  readonly rows: number;
  readonly limits: ScrollbackLimits;
  readonly firstLine: number;
  readonly colors?: TerminalColors;
  readonly cellPixels?: CellPixels;
  readonly allowClipboard?: boolean;
  readonly graphemeClusters?: boolean;
  readonly keepsErased?: boolean;
}

/** The modes that belong to a command, as integers; see `command-modes.ts`. */
export type CommandModes = readonly number[];

/** No character was printed that REP could repeat. */
export const noCharacter = 0;

/**
 * The complete state of a terminal, except that of the parser. Control functions change it; readers
 * do not.
 */
export class TerminalState {
  cols: number;
  rows: number;
  readonly links = new LinkTable();
  readonly styles = new StyleTable(this.links);
  readonly clusters = new ClusterTable();
  readonly scrollback: Scrollback;
  primary: Grid;
  /** Created when it is first switched to. */
  alternate: Grid | null = null;
  /** The one that output currently goes to. */
  grid: Grid;
  readonly cursor = new CursorState();
  /** While the alternate screen is shown: the cursor on the primary screen before it was shown. */
  readonly primaryCursor = new CursorState();
  savedPrimary = new SavedCursor();
  savedAlternate = new SavedCursor();
  readonly pen = new Pen();
  charsets = new Charsets();
  modes: Modes;
  keyboard = new KeyboardState();
  readonly tabs: TabStops;
  readonly titles = new Titles();
  readonly palette: Palette;
  readonly cellPixels: CellPixels;
  readonly allowClipboard: boolean;
  /** Mode 2027 after a reset. */
  readonly graphemeClusters: boolean;
  /** Whether lines go to the scrollback before the screen is erased. */
  readonly keepsErased: boolean;
  reports = new ProgramReports();
  readonly events = new EventLog();
  /** XTSAVE: the saved values of modes, by number. */
  readonly savedModes = new Map<number, boolean>();
  /** The modes at the beginning of the running command; null if none runs. */
  modesAtCommand: CommandModes | null = null;
  /** The modes that a stopped command had; null without one. */
  stoppedModes: CommandModes | null = null;
  savedPens = new SavedPens();
  savedColors = new SavedColors();
  /** First row of the scrolling region. */
  marginTop = 0;
  /** Last row of the scrolling region. */
  marginBottom: number;
  /** First column of the scrolling region. */
  marginLeft = 0;
  /** Last column of the scrolling region. */
  marginRight: number;
  /** What REP repeats: a code point, or a cluster of several with its flag; {@link noCharacter} if nothing. */
  lastPrinted = noCharacter;
  readonly replies = new ReplyQueue();
  /** See `Terminal.attended`. */
  attended = true;
  /** Number of bells since the events were last taken. */
  bells = 0;
  /** Incremented by each feed and each resize. */
  revision = 0;
  /** The frame that readers see while the next one is being drawn. */
  frame: Frame | null = null;
  /**
   * Text printed in this revision or later counts as just printed: the current revision, or the
   * first one of the frame.
   */
  printedSince = 0;
  /** Whether the feed stops now: a frame began or ended, or there was much work. */
  readonly stop = { now: false };
  /** The work since the feed began, see `spend`. */
  work = 0;
  /** DECCARA and DECRARA of this feed, by name: what becomes of each style. */
  readonly styleChanges = new StyleChanges(this.styles);
  /** The text just printed on lines that have since left the screen. */
  readonly printedOffScreen = new PrintedLines();
  readonly rewrites = new Rewrites();

  constructor({ cols, rows, limits, firstLine, colors, cellPixels, ...setup }: TerminalSetup) {
    this.cols = cols;
    this.rows = rows;
    this.scrollback = new Scrollback(limits, this.styles, this.clusters, firstLine);
    this.primary = new Grid(cols, rows);
    this.grid = this.primary;
    this.tabs = new TabStops(cols);
    this.marginBottom = rows - 1;
    this.palette = new Palette(colors);
    this.cellPixels = cellPixels ?? defaultCellPixels;
    this.allowClipboard = setup.allowClipboard ?? false;
    this.graphemeClusters = setup.graphemeClusters ?? true;
    this.keepsErased = setup.keepsErased ?? false;
    this.modes = new Modes(this.graphemeClusters);
    this.marginRight = cols - 1;
  }

  get onAlternate(): boolean {
    return this.grid !== this.primary;
  }

  /** The colours that differ from the initial ones; later changes are not in it. */
  get colors(): ReadonlyMap<number, number> {
    return this.palette.snapshot();
  }

  /** The number of the line in the topmost row of the primary screen. */
  get topLine(): number {
    return this.scrollback.nextLine;
  }

  /** The style of erased cells. */
  get eraseStyle(): number {
    return this.pen.eraseStyle(this.styles);
  }
}
