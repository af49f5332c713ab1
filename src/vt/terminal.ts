import {
  type Cursor,
  checkSize,
  type KeyModes,
  type LineFinder,
  type LineScan,
  type OutputPosition,
  type Size,
} from '#model';
import { Dispatch } from './dispatch.ts';
import { dumpState } from './dump/dump.ts';
import { resizeState } from './editing/resizing.ts';
import { Parser } from './parser/parser.ts';
import {
  changedRows,
  fingerprint,
  noteRewrites,
  printedAfter,
  rowFingerprints,
} from './reading/changes.ts';
import { inspectState } from './reading/inspect.ts';
import { type LinePosition, linePosition, positionAt } from './reading/output-position.ts';
import { type PrintedText, printedText } from './reading/printed-text.ts';
import {
  endLine,
  type Reader,
  readLines,
  rowReader,
  type ScreenCells,
  scanLines,
  screenCells,
  screenText,
  scrollbackRows,
  textBytes,
} from './reading/readers.ts';
import { verifyState } from './reading/verify.ts';
import type { ScrollbackLimits } from './scrollback/scrollback.ts';
import { Frame } from './state/frame.ts';
import { compactTables, memoryBytes } from './state/memory.ts';
import type { TerminalEvent } from './state/terminal-events.ts';
import { type CellPixels, TerminalState } from './state/terminal-state.ts';
import type { VisibleState } from './state/visible-state.ts';
import type { TerminalColors } from './style/palette.ts';

export interface TerminalOptions {
  readonly size: Size;
  /** Lines 0 and up, bytes 0 and up; {@link defaultScrollback} when absent. */
  readonly scrollback?: ScrollbackLimits;
  /** The number that the first line gets; 0 when absent. */
  readonly firstLine?: number;
  /** What programs are told when they ask for colours. */
  readonly colors?: TerminalColors;
  /** What programs are told that a cell measures, in pixels; 10 by 20 when absent. */
  readonly cellPixels?: CellPixels;
  /** Whether programs may ask for something to be put into the clipboard (OSC 52); not when absent. */
  readonly allowClipboard?: boolean;
}

/** A frame that scrolls more rows off the screen is shown in parts: what it printed must be kept. */
const maxFrameRows = 4096;

export const defaultScrollback: ScrollbackLimits = { maxLines: 10_000, maxBytes: 32 * 1024 * 1024 };

/** What a larger chunk brings is tidied up in between, so that its size makes no difference to memory. */
const maxBytesAtOnce = 64 * 1024;

/**
 * A terminal: fed with what a program writes, it keeps the screen, the scrollback and the modes that
 * a person at a real one would have before them. It neither waits, draws, nor fails: whatever the
 * bytes say, `feed` returns, in time and memory that are bounded by the size of the screen.
 */
export class Terminal {
  readonly #state: TerminalState;
  readonly #parser: Parser;
  #outputEnd = 0;

  /** @throws VtrError INVALID_SIZE */
  constructor(options: TerminalOptions) {
    const { cols, rows } = checkSize(options.size);
    const { scrollback: limits = defaultScrollback, firstLine = 0, colors, cellPixels } = options;
    this.#state = new TerminalState({
      ...{ cols, rows, limits, firstLine },
      ...(colors === undefined ? {} : { colors }),
      ...(cellPixels === undefined ? {} : { cellPixels }),
      allowClipboard: options.allowClipboard ?? false,
    });
    this.#parser = new Parser(new Dispatch(this.#state));
  }

  /**
   * Applies output. Chunks may be cut anywhere.
   *
   * @param offset absolute offset of the first byte, for the positions of events; where absent, the
   * chunk goes on from the last
   */
  feed(bytes: Uint8Array, offset = this.#outputEnd): void {
    let at = 0;
    do at += this.feedToFrameBoundary(at === 0 ? bytes : bytes.subarray(at), offset + at);
    while (at < bytes.length);
  }

  /**
   * Applies output as {@link feed} does, but stops where a frame begins or ends (mode 2026): what
   * observers see after it then lies on one side of the border. Returns how many bytes that were.
   */
  feedToFrameBoundary(bytes: Uint8Array, offset = this.#outputEnd): number {
    this.#nextRevision();
    const { frameOpen } = this;
    let count = 0;
    let next = 0;
    while (count === next && next < bytes.length && this.frameOpen === frameOpen) {
      next = Math.min(count + maxBytesAtOnce, bytes.length);
      count += this.#parser.feed(bytes.subarray(count, next), offset + count);
      compactTables(this.#state);
    }
    this.#outputEnd = offset + count;
    noteRewrites(this.#state);
    if (!this.frameOpen || this.#state.printedOffScreen.count > maxFrameRows) this.#showFrame();
    return count;
  }

  /**
   * Whether the program is drawing a frame. Until it is complete, what readers and observers see is
   * the last one, and `printedText` is empty. Nothing but {@link endFrame} bounds how long.
   */
  get frameOpen(): boolean {
    return this.#state.modes.synchronizedOutput;
  }

  /** Shows what has been drawn of the frame, where one is open. */
  endFrame(): void {
    if (!this.frameOpen) return;
    this.#state.modes.synchronizedOutput = false;
    this.#nextRevision();
    this.#showFrame();
  }

  /** @throws VtrError INVALID_SIZE */
  resize(size: Size): void {
    const { cols, rows } = checkSize(size);
    if (cols === this.#state.cols && rows === this.#state.rows) return;
    this.endFrame();
    this.#nextRevision();
    resizeState(this.#state, cols, rows);
  }

  /** What the terminal has answered to the program since the last call; null for nothing. */
  takeReplies(): Uint8Array | null {
    return this.#state.replies.take();
  }

  /** The place of the cursor now. */
  get position(): OutputPosition {
    return positionAt(this.#state, this.#outputEnd);
  }

  /** What output did besides changing the screen, since the last call. */
  takeEvents(): TerminalEvent[] {
    const events: TerminalEvent[] = [];
    const { titles, bells } = this.#state;
    if (titles.takeChanged()) events.push({ type: 'title', title: titles.window });
    if (bells > 0) events.push({ type: 'bell', count: bells });
    this.#state.bells = 0;
    events.push(...this.#state.events.take());
    return events;
  }

  /** Raised by every feed, and by every resize that changes something. */
  get revision(): number {
    return this.#state.revision;
  }

  get size(): Size {
    return { cols: this.#state.cols, rows: this.#state.rows };
  }

  get title(): string {
    return this.#state.titles.window;
  }

  /** Whether the alternate screen is the one that is shown. */
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

  /** What decides which bytes a key sends. */
  get keyModes(): KeyModes {
    const { modes, keyboard, onAlternate } = this.#state;
    const flags = onAlternate ? keyboard.alternateFlags : keyboard.primaryFlags;
    return {
      applicationCursorKeys: modes.applicationCursorKeys,
      applicationKeypad: modes.applicationKeypad,
      backarrowSendsBackspace: modes.backarrowSendsBackspace,
      newLine: modes.newLine,
      bracketedPaste: modes.bracketedPaste,
      modifyOtherKeys: keyboard.modifyOtherKeys,
      formatOtherKeys: keyboard.formatOtherKeys,
      kittyFlags: flags.current,
    };
  }

  /** The text of the screen that is shown, a string a row, trailing blanks cut. */
  screenText(): string[] {
    return screenText(this.#visible);
  }

  /**
   * The screen that is shown as cells: one array a row, one cell a column. Rows that have not changed
   * since `before`, an earlier read of this terminal, are taken from there.
   */
  screenCells(before: ScreenCells | null = null): ScreenCells {
    return screenCells(this.#visible, this.revision, before);
  }

  /** A row of the screen that is shown. @param row 0-based, below the number of rows */
  readRow(row: number): Reader {
    return rowReader(this.#visible, row);
  }

  /** The oldest line that is kept. */
  get firstLine(): number {
    return this.#visible.scrollback.firstLine;
  }

  /** The line that the topmost row of the primary screen belongs to; it may begin above. */
  get topLine(): number {
    return this.#visible.topLine;
  }

  /** One past the last line of the primary screen that anything stands in. */
  get endLine(): number {
    return endLine(this.#visible);
  }

  /** Scrollback and primary screen, from line `from` up to and without `to`: those that there are. */
  *readLines(from: number, to: number): Iterable<{ line: number; reader: Reader }> {
    for (const read of readLines(this.#visible, from, to)) {
      // Whoever reads all lines would otherwise bring back the styles of all.
      compactTables(this.#state);
      yield read;
    }
  }

  /**
   * Goes over lines from `from` on, those from `to` on left out: up to the first that may match, or a
   * stretch that takes a fraction of a millisecond.
   */
  scanLines(from: number, to: number, find: LineFinder): LineScan {
    return scanLines(this.#visible, from, to, find);
  }

  /** The scrollback cut into rows of the present width, as text, trailing blanks cut. */
  scrollbackRows(): string[] {
    return scrollbackRows(this.#visible);
  }

  /** Rows of the shown screen that changed after a revision. */
  changedRows(since: number): number[] {
    return changedRows(this.#visible, since);
  }

  /** What the last feed printed, or the frame that it completed, by line; see {@link PrintedText}. */
  printedText(): Iterable<PrintedText> {
    return this.#state.frame === null ? printedText(this.#state) : [];
  }

  /** The topmost line that was printed on after a revision though the cursor had been further down. */
  rewrittenFrom(since: number): number {
    return this.#state.rewrites.topmostAfter(since);
  }

  /** The topmost line of the primary screen when it was first cleared after a revision; else Infinity. */
  clearedFrom(since: number): number {
    return this.#state.rewrites.clearedAfter(since);
  }

  /** Whether anything was printed after a revision on a line of the primary screen that is shown. */
  printedAfter(line: number, since: number): boolean {
    return printedAfter(this.#visible, line, since);
  }

  /**
   * The line of the primary screen that output goes on in, and the text in it left of the cursor:
   * behind the last line, while the alternate screen is shown.
   */
  linePosition(): LinePosition {
    return linePosition(this.#visible);
  }

  /** A number for each row of the screen that is shown: another one when the row looks different. */
  rowFingerprints(): Int32Array {
    return rowFingerprints(this.#visible);
  }

  /** The state that readers see; less than {@link revision} while a frame is drawn. */
  get shownRevision(): number {
    return this.#state.frame?.revision ?? this.#state.revision;
  }

  /** Bytes of UTF-8 of the text of the lines from `from` up to and without `to`, a line feed for each. */
  textBytes(from: number, to: number): number {
    return textBytes(this.#visible, from, to);
  }

  /** A number that is another one when the screen looks different. */
  fingerprint(): number {
    return fingerprint(this.#visible);
  }

  /** Bytes that, fed to a fresh terminal of this size, limits and first line, make it equal to this. */
  dump(): Uint8Array {
    return dumpState(this.#state, this.#parser.pending());
  }

  /** Memory held, in bytes: what the buffers take, whether they are full or not. */
  get memoryBytes(): number {
    return memoryBytes(this.#state) + this.#parser.bytes;
  }

  /** The state behind; for tests of this room. */
  get state(): TerminalState {
    return this.#state;
  }

  /** The whole state as plain values, for tests and bug reports; equal for equal terminals. */
  inspect(): Record<string, unknown> {
    return inspectState(this.#state, this.#parser.pending());
  }

  /** Checks itself; a sentence for each thing that is not as it must be, after whatever input. */
  verify(): string[] {
    return verifyState(this.#state);
  }

  get #visible(): VisibleState {
    return this.#state.frame ?? this.#state;
  }

  #nextRevision(): void {
    const state = this.#state;
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
