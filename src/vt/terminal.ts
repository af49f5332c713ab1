import { defined, encodeUtf8 } from '#base';
import {
  type CellPixels,
  type Cursor,
  checkSize,
  defaultScrollbackLines,
  type KeyModes,
  type LineFinder,
  type LineScan,
  type OutputPosition,
  type ProgramStatus,
  type ScreenPlace,
  type Size,
  type ViewModes,
} from '#model';
import { forgetWords } from './cells/byte-buffer.ts';
import { Dispatch } from './dispatch.ts';
import { Dumping, type DumpOptions, type Snapshot } from './dump/dump.ts';
import { erasure, settingsFor } from './dump/dump-settings.ts';
import { eraseFrom } from './editing/erasing.ts';
import { resizeState } from './editing/resizing.ts';
import { Parser } from './parser/parser.ts';
import {
  changedRows,
  fingerprint,
  noteRewrites,
  noteRewritesSoFar,
  printedAfter,
  rowFingerprints,
  rowIds,
} from './reading/changes.ts';
import { type LinePosition, linePosition, placeOf, positionAt } from './reading/output-position.ts';
import { type PrintedText, printedText } from './reading/printed-text.ts';
import {
  endLine,
  type Reader,
  readLines,
  rowOf,
  rowReader,
  type ScreenCells,
  scanLines,
  screenCells,
  screenText,
  scrollbackRows,
  textBytes,
} from './reading/readers.ts';
import { keyModes, viewModes } from './reading/view-modes.ts';
import type { ScrollbackLimits } from './scrollback/scrollback.ts';
import type { PositionedEvent, TerminalEvent } from './state/event-log.ts';
import { Frame } from './state/frame.ts';
import { compactTables, memoryBytes } from './state/memory.ts';
import type { Clear } from './state/rewrites.ts';
import { type RowsLeaving, TerminalState } from './state/terminal-state.ts';
import type { VisibleState } from './state/visible-state.ts';
import type { TerminalColors } from './style/palette.ts';

export interface TerminalOptions {
  readonly size: Size;
  /** Default {@link defaultScrollback}. */
  readonly scrollback?: ScrollbackLimits;
  /** The number of the first line; default 0. */
  readonly firstLine?: number;
  /** The colours that colour queries report. */
  readonly colors?: TerminalColors;
  /** The size of a cell in pixels that size queries report; default 10 by 20. */
  readonly cellPixels?: CellPixels;
  /** Whether programs may request that text is put into the clipboard (OSC 52); default false. */
  readonly allowClipboard?: boolean;
  /** Whether mode 2027 (grapheme clusters) is initially set; default true. */
  readonly graphemeClusters?: boolean;
  /**
   * Whether the lines of the primary screen go to the scrollback before the whole screen is erased,
   * and the scrollback is never erased; default false.
   */
  readonly keepsErased?: boolean;
}

/**
 * A frame that scrolls more rows off the screen is shown before it is complete. Otherwise the list
 * of printed lines grows without bound.
 */
const maxFrameRows = 4096;

/** The key under which the other doors of this room find the parts of a terminal. No door exports it. */
export const inside: unique symbol = Symbol('inside');

/** What a terminal consists of. */
export interface TerminalParts {
  readonly state: TerminalState;
  readonly parser: Parser;
  /** Absolute offset of the next byte of output. */
  outputEnd: number;
}

/** A terminal, or a part of its interface, for the other doors of this room. */
export interface Inside {
  readonly [inside]: TerminalParts;
}

export const defaultScrollback: ScrollbackLimits = {
  maxLines: defaultScrollbackLines,
  maxBytes: 32 * 1024 * 1024,
};

/**
 * Larger chunks are applied in parts of this size, and the tables are compacted after each part.
 * Memory then does not depend on the size of a chunk.
 */
const maxBytesAtOnce = 64 * 1024;

/**
 * A terminal emulator. It applies the output of a program to a screen, a scrollback and modes.
 *
 * It has no clock and does no I/O. `feed` never throws, whatever the bytes are, and its time and
 * memory are bounded by the size of the screen.
 */
export class Terminal {
  readonly #state: TerminalState;
  readonly #parser: Parser;
  readonly [inside]: TerminalParts;
  /** That of the present state; null if it is not known, as during a feed. */
  #linePosition: LinePosition | null = null;
  #isFeeding = false;

  /** @throws VtrError INVALID_SIZE */
  constructor(options: TerminalOptions) {
    const { cols, rows } = checkSize(options.size);
    const { scrollback: limits = defaultScrollback, firstLine = 0, colors, cellPixels } = options;
    this.#state = new TerminalState({
      cols,
      rows,
      limits,
      firstLine,
      ...defined({ colors, cellPixels }),
      allowClipboard: options.allowClipboard ?? false,
      graphemeClusters: options.graphemeClusters ?? true,
      keepsErased: options.keepsErased ?? false,
    });
    this.#parser = new Parser(new Dispatch(this.#state));
    this[inside] = { state: this.#state, parser: this.#parser, outputEnd: 0 };
  }

  /**
   * Applies output. A chunk may end anywhere, even inside a character or a sequence.
   *
   * @param offset absolute offset of the first byte, used for the positions of events; default: the
   * end of the previous chunk
   */
  feed(bytes: Uint8Array, offset = this[inside].outputEnd): void {
    let at = 0;
    do at += this.feedToFrameBoundary(at === 0 ? bytes : bytes.subarray(at), offset + at);
    while (at < bytes.length);
  }

  /**
   * Applies output like {@link feed}, but stops where a frame begins or ends (mode 2026), and after
   * much work, which takes some milliseconds. Observers then see either the state before the boundary
   * or the state after it. Returns the number of bytes applied. It depends on the bytes and the state
   * only.
   */
  feedToFrameBoundary(bytes: Uint8Array, offset = this[inside].outputEnd): number {
    this.#nextRevision();
    this.#isFeeding = true;
    const count = applyOutput(this[inside], bytes, offset);
    this.#isFeeding = false;
    this[inside].outputEnd = offset + count;
    noteRewrites(this.#state);
    if (!this.frameOpen || this.#state.printedOffScreen.count > maxFrameRows) this.#showFrame();
    return count;
  }

  /**
   * Whether the program is drawing a frame (mode 2026). Until the frame is complete, readers and
   * observers see the previous frame and `printedText` is empty. Only {@link endFrame} bounds the
   * duration.
   */
  get frameOpen(): boolean {
    return this.#state.modes.synchronizedOutput;
  }

  /** The work of the last feed: it stops after {@link maxWork}. */
  get work(): number {
    return this.#state.work;
  }

  /** Whether the output so far ends within a sequence or a character. */
  get isPending(): boolean {
    return this.#parser.pending().length > 0;
  }

  /** Ends an open frame and shows it, complete or not. */
  endFrame(): void {
    if (!this.frameOpen) return;
    this.#state.modes.synchronizedOutput = false;
    this.#nextRevision();
    this.#showFrame();
  }

  /**
   * @param erasedFrom the place from which the screen is erased first; see `ResizeEvent.erasedFrom`
   * @throws VtrError INVALID_SIZE
   */
  resize(size: Size, erasedFrom?: ScreenPlace): void {
    const { cols, rows } = checkSize(size);
    if (cols === this.#state.cols && rows === this.#state.rows) return;
    this.endFrame();
    this.#nextRevision();
    if (erasedFrom !== undefined) eraseFrom(this.#state, this.#within(erasedFrom));
    resizeState(this.#state, cols, rows);
  }

  /**
   * Whether a person sees the terminal; true in a new one. If a program enables the reports of focus (mode 1004)
   * while nobody sees it, a report of that is sent at once. This is not part of the state: it is neither dumped nor saved.
   */
  get attended(): boolean {
    return this.#state.attended;
  }

  set attended(attended: boolean) {
    this.#state.attended = attended;
  }

  /** Returns the replies to the program's queries since the last call; null if there are none. */
  takeReplies(): Uint8Array | null {
    return this.#state.replies.take();
  }

  /** Bytes of replies that were dropped since the start, because 4 KiB of them were not taken. */
  get droppedReplyBytes(): number {
    return this.#state.replies.droppedBytes;
  }

  /** The position of the cursor now. */
  get position(): OutputPosition {
    return positionAt(this.#state, this[inside].outputEnd);
  }

  /** Returns what output did since the last call, apart from changing the screen. */
  takeEvents(): TerminalEvent[] {
    const events: TerminalEvent[] = [];
    const { titles, bells } = this.#state;
    if (titles.takeChanged()) events.push({ type: 'title', title: titles.window });
    if (bells > 0) events.push({ type: 'bell', count: bells });
    this.#state.bells = 0;
    events.push(...this.#state.events.take());
    return events;
  }

  /**
   * Calls `listener` with each event that has a position, from within the feed, while the terminal
   * has the state at that position. The listener must not throw, and must not change the terminal.
   */
  onPositionedEvent(listener: (event: PositionedEvent) => void): void {
    this.#state.events.onEvent = (event) => {
      noteRewritesSoFar(this.#state);
      listener(event);
    };
  }

  /** Incremented by every feed and by every resize that changes the size. */
  get revision(): number {
    return this.#state.revision;
  }

  get size(): Size {
    return { cols: this.#state.cols, rows: this.#state.rows };
  }

  get title(): string {
    return this.#state.titles.window;
  }

  /** What programs say that they do (OSC 7501): that of the program first, then those of its tasks. */
  get statuses(): readonly ProgramStatus[] {
    return this.#state.reports.statuses.all;
  }

  /** Whether the alternate screen is visible. */
  get alternate(): boolean {
    return this.#visible.onAlternate;
  }

  get cursor(): Cursor {
    const { cursor, modes } = this.#visible;
    return {
      row: cursor.row,
      col: cursor.col,
      wrapPending: cursor.wrapPending,
      visible: modes.cursorVisible,
      shape: modes.cursorShape,
      blinking: modes.cursorBlinking,
    };
  }

  /** The modes that determine which bytes a key sends. */
  get keyModes(): KeyModes {
    return keyModes(this.#state);
  }

  /**
   * The modes that a viewer needs: of input as they are, of colours as readers see them. `palette` is
   * the same object until a colour changes.
   */
  get viewModes(): ViewModes {
    return viewModes(this.#state, this.#visible);
  }

  /** The size of a cell that is reported to programs. */
  get cellPixels(): CellPixels {
    return this.#state.cellPixels;
  }

  /** The text of the visible screen: one string per row, trailing blanks removed. */
  screenText(): string[] {
    return screenText(this.#visible);
  }

  /**
   * The visible screen as cells: one array per row, one cell per column. Rows that have not changed
   * since `before`, an earlier read of this terminal, are reused.
   */
  screenCells(before: ScreenCells | null = null): ScreenCells {
    return screenCells(this.#visible, this.revision, before);
  }

  /**
   * A row of the visible screen.
   *
   * @param row 0-based, below the number of rows
   */
  readRow(row: number): Reader {
    return rowReader(this.#visible, row);
  }

  /** Whether a row of the visible screen continues in the next one. */
  wrapsAt(row: number): boolean {
    return this.#visible.grid.wraps(row);
  }

  /** The oldest line in the scrollback. */
  get firstLine(): number {
    return this.#visible.scrollback.firstLine;
  }

  /** The line of the topmost row of the primary screen. The line may begin in the scrollback. */
  get topLine(): number {
    return this.#visible.topLine;
  }

  /** The cells of the line of the topmost row that are above the primary screen; 0 if it begins there. */
  get cellsAbove(): number {
    const { scrollback } = this.#visible;
    return scrollback.open ? scrollback.openCells : 0;
  }

  /** The topmost row of the primary screen that shows a line; null if none does. */
  rowOf(line: number): number | null {
    return rowOf(this.#visible, line);
  }

  /** Where the primary screen shows a column of a line, counted over all its rows; null if it does not. */
  placeOf(line: number, col: number): ScreenPlace | null {
    return placeOf(this.#visible, line, col);
  }

  /** One past the last line of the primary screen that is not empty. */
  get endLine(): number {
    return endLine(this.#visible);
  }

  /**
   * Yields the existing lines of the scrollback and the primary screen from `from` up to but
   * excluding `to`.
   */
  *readLines(from: number, to: number): Iterable<{ line: number; reader: Reader }> {
    for (const read of readLines(this.#visible, from, to)) {
      // Reading lines adds their styles to the table. Without compaction a read of all lines would
      // add all styles.
      compactTables(this.#state);
      yield read;
    }
  }

  /**
   * Scans lines from `from` up to but excluding `to`. Stops at the first line that may match, or
   * after a fraction of a millisecond.
   */
  scanLines(from: number, to: number, find: LineFinder): LineScan {
    return scanLines(this.#visible, from, to, find);
  }

  /** The scrollback as text, wrapped to the current width, trailing blanks removed. */
  scrollbackRows(): string[] {
    return scrollbackRows(this.#visible);
  }

  /** The rows of the visible screen that changed after a revision. */
  changedRows(since: number): number[] {
    return changedRows(this.#visible, since);
  }

  /**
   * The text that the last feed printed, or the frame that it completed, by line; see
   * {@link PrintedText}.
   */
  printedText(): Iterable<PrintedText> {
    return this.#state.frame === null ? printedText(this.#state) : [];
  }

  /**
   * The topmost line that was printed on after a revision, although the cursor had already been
   * below it; Infinity if there is none.
   */
  rewrittenFrom(since: number): number {
    return this.#state.rewrites.topmostAfter(since);
  }

  /**
   * The topmost line of the primary screen when it was first cleared after a revision; Infinity if
   * it was not cleared.
   */
  clearedFrom(since: number): number {
    return this.#state.rewrites.clearedAfter(since);
  }

  /** The last time the primary screen was cleared; null if it never was. Exact within a feed. */
  get lastClear(): Clear | null {
    return this.#state.rewrites.lastClear;
  }

  /** The topmost line that a resize moved back to the screen after a revision; Infinity if none. */
  returnedFrom(since: number): number {
    return this.#state.rewrites.returnedAfter(since);
  }

  /** Whether a line of the visible primary screen was printed on after a revision. */
  printedAfter(line: number, since: number): boolean {
    return printedAfter(this.#visible, line, since);
  }

  /**
   * The line of the primary screen in which output continues, and its text left of the cursor.
   * While the alternate screen is visible, the cursor is that from before it was shown.
   */
  linePosition(): LinePosition {
    if (this.#isFeeding) return linePosition(this.#visible);
    // Readers ask several times, and the line can be long.
    this.#linePosition ??= linePosition(this.#visible);
    return this.#linePosition;
  }

  /** One number per row of the visible screen. It changes when the row looks different. */
  rowFingerprints(): Int32Array {
    return rowFingerprints(this.#visible);
  }

  /** One number per row of the visible screen, which moves with the row when the screen scrolls. */
  rowIds(): Int32Array {
    return rowIds(this.#visible);
  }

  /** The revision of the visible state; less than {@link revision} while a frame is being drawn. */
  get shownRevision(): number {
    return this.#state.frame?.revision ?? this.#state.revision;
  }

  /**
   * Bytes of UTF-8 in the text of the lines from `from` up to but excluding `to`, with one line
   * feed per line.
   */
  textBytes(from: number, to: number): number {
    return textBytes(this.#visible, from, to);
  }

  /** A number that changes when the screen looks different. */
  fingerprint(): number {
    return fingerprint(this.#visible);
  }

  /**
   * Returns the output of {@link snapshot}, for a terminal with the first line of the snapshot. That
   * of this terminal can be smaller while the program draws a frame.
   */
  dump(): Uint8Array {
    return this.snapshot().dump;
  }

  /** Like {@link dump}, with the first line, and optionally with a part of the lines. */
  snapshot(options: Pick<DumpOptions, 'scrollbackLines'> = {}): Snapshot {
    const dumping = this.dumping({ ...options, sliceBytes: Number.POSITIVE_INFINITY });
    return dumping.next() as Snapshot;
  }

  /** Begins a snapshot in slices. */
  dumping(options: DumpOptions = {}): Dumping {
    return new Dumping(this.#state, () => this.#parser.pending(), options);
  }

  /**
   * One past the last complete line above the screen. A line that continues on the screen is not
   * complete.
   */
  get linesEnd(): number {
    return this.#state.scrollback.nextLine;
  }

  /** Calls `listener` after all lines above the screen were erased, with the first line after them. */
  onErasedLines(listener: (next: number) => void): void {
    this.#state.scrollback.onErased = listener;
  }

  /**
   * Calls `listener` from within the feed before rows of the alternate screen scroll away or are erased with the whole
   * screen, while the terminal still has them. The listener must not throw, and must not change the terminal.
   */
  onRowsLeaving(listener: RowsLeaving): void {
    this.#state.onRowsLeaving = listener;
  }

  /**
   * Returns output that gives a new terminal of this size the cursor, the pen, the modes and the tab
   * stops of this one, on the primary screen, without its text.
   */
  dumpSettings(): Uint8Array {
    return encodeUtf8(settingsFor(this.#state));
  }

  /** Returns output that does what a resize with `erasedFrom` does before it. Nothing else changes. */
  eraseOutput(erasedFrom: ScreenPlace): string {
    return erasure(this.#state, erasedFrom);
  }

  /** Allocated memory in bytes, counting the full capacity of the buffers. */
  get memoryBytes(): number {
    return memoryBytes(this.#state) + this.#parser.bytes;
  }

  /** A place that another program sent may be outside. */
  #within({ row, col }: ScreenPlace): ScreenPlace {
    const { cols, rows } = this.#state;
    return { row: Math.min(row, rows - 1), col: Math.min(col, cols - 1) };
  }

  get #visible(): VisibleState {
    return this.#state.frame ?? this.#state;
  }

  #nextRevision(): void {
    const state = this.#state;
    this.#linePosition = null;
    const isInFrame = state.frame !== null;
    if (this.frameOpen && !isInFrame && Frame.fits(state)) state.frame = new Frame(state);
    state.revision++;
    if (!isInFrame) {
      state.printedSince = state.revision;
      state.printedOffScreen.clear();
      state.scrollback.trim();
    }
    state.grid.revision = state.revision;
    state.grid.printedSince = state.printedSince;
  }

  #showFrame(): void {
    const { frame, grid, onAlternate } = this.#state;
    if (frame === null) return;
    this.#state.frame = null;
    if (frame.onAlternate === onAlternate) grid.damageSince(frame.revision);
    else grid.damageAll();
  }
}

/** Applies output until the feed stops. Returns the number of bytes applied, at least one. */
export function applyOutput(
  { state, parser }: TerminalParts,
  bytes: Uint8Array,
  offset: number,
): number {
  state.stop.now = false;
  state.work = 0;
  let count = 0;
  while (count < bytes.length && !state.stop.now) {
    const next = Math.min(count + maxBytesAtOnce, bytes.length);
    state.noLinesBefore = 0;
    const before = state.scrollback.nextLine;
    const parsed = parser.feed(bytes.subarray(count, next), offset + count);
    state.bytesOfLine = parsed / (state.scrollback.nextLine - before + 1);
    count += parsed;
    // Compaction renumbers the styles.
    state.styleChanges.clear();
    compactTables(state);
  }
  forgetWords();
  return count;
}
