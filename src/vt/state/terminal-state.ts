import { type CellPixels, defaultCellPixels } from '#model';
import { ClusterTable } from '../cells/cluster-table.ts';
import { Grid } from '../grid/grid.ts';
import { Scrollback, type ScrollbackLimits } from '../scrollback/scrollback.ts';
import { LinkTable } from '../style/link-table.ts';
import { Palette, type TerminalColors } from '../style/palette.ts';
import { Pen } from '../style/pen.ts';
import { SavedColors, SavedPens } from '../style/saved-styles.ts';
import { StyleChanges, StyleTable } from '../style/style-table.ts';
import { Charsets } from './charsets.ts';
import { CursorState, SavedCursor, TabStops } from './cursor-state.ts';
import { EventLog, type PositionedEvent } from './event-log.ts';
import type { Frame } from './frame.ts';
import { KeyboardState, Modes } from './modes.ts';
import { ProgramReports, Titles } from './program-reports.ts';
import { PrintedLines, Rewrites } from './rewrites.ts';

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

/** Is told that rows between two ones, the last one included, will scroll up by `count`, or are erased. */
export type RowsLeaving = (top: number, bottom: number, count: number) => void;

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
  /** See `Terminal.onRowsLeaving`. */
  onRowsLeaving: RowsLeaving | null = null;
  /** The work since the feed began, see `spend`. */
  work = 0;
  /** DECCARA and DECRARA of this feed, by name: what becomes of each style. */
  readonly styleChanges = new StyleChanges(this.styles);
  /** Up to this index in the bytes that are being parsed, there are too few lines for `printLines`. */
  noLinesBefore = 0;
  /** About how many bytes the lines have that went to the scrollback last. */
  bytesOfLine = Number.POSITIVE_INFINITY;
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

/**
 * The work after which a feed stops, in units of {@link spend}. With one more function on the largest
 * screen, that takes less than 10 ms.
 */
export const maxWork = 2 << 20;

/** The work of moving a row in addition to its cells: that of so many cells. */
const workOfRow = 32;

/** The work of an event: its observers, such as the ledger of commands, take about as long as this many cells. */
const workOfEvent = 16 * 1024;

/** Notes work whose time depends on the size of the screen: the number of cells that are visited. */
export function spend(t: TerminalState, cells: number): void {
  t.work += cells;
  if (t.work > maxWork) t.stop.now = true;
}

/** Notes work on a part of each of some rows. */
export function spendRows(t: TerminalState, rows: number, cols: number): void {
  spend(t, rows * (cols + workOfRow));
}

/** Adds an event for the observers, and notes their work. */
export function publish(t: TerminalState, event: PositionedEvent): void {
  spend(t, workOfEvent);
  t.events.push(event);
}

/** Maximum bytes of pending replies; further replies are dropped. */
const maxPendingReplies = 4096;

/**
 * A queue of replies to the program's queries. Replies are ASCII and consist of numbers and fixed
 * strings. Text chosen by output is never sent back as input.
 */
class ReplyQueue {
  /**
   * S8C1T: send C1 controls as one byte, which is not valid UTF-8, instead of ESC and a letter, as
   * xterm does.
   */
  eightBit = false;
  #pending: string[] = [];
  #length = 0;
  /** Bytes of replies that were dropped since the start. */
  droppedBytes = 0;

  /** Whether there is room for a reply of so many bytes. */
  hasRoom(bytes: number): boolean {
    return this.#length + bytes <= maxPendingReplies;
  }

  /** Adds a reply, written with 7-bit controls. */
  push(reply: string): void {
    if (!this.hasRoom(reply.length)) {
      this.droppedBytes += reply.length;
      return;
    }
    this.#pending.push(this.eightBit ? withC1(reply) : reply);
    this.#length += reply.length;
  }

  /** Removes and returns the pending replies; null if there are none. */
  take(): Uint8Array | null {
    if (this.#length === 0) return null;
    const text = this.#pending.join('');
    this.#pending = [];
    this.#length = 0;
    return Uint8Array.from(text, (char) => char.charCodeAt(0));
  }
}

/** Every C1 control is equivalent to ESC and the character 0x40 below it (ECMA-35 6.3.3). */
function withC1(reply: string): string {
  return reply.replace(/\x1b([@-_])/g, (_, final: string) =>
    String.fromCharCode(final.charCodeAt(0) + 0x40),
  );
}
