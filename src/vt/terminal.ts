import { type Cursor, checkSize, type KeyModes, type Size } from '#model';
import { compactTables } from './compaction.ts';
import { Dispatch } from './dispatch.ts';
import { dumpState } from './dump.ts';
import { fingerprint } from './fingerprint.ts';
import { inspectState } from './inspect.ts';
import { memoryBytes } from './memory.ts';
import type { TerminalColors } from './palette.ts';
import { Parser } from './parser.ts';
import { type PrintedText, printedText } from './printed-text.ts';
import type { ReportedCwd } from './program-reports.ts';
import {
  changedRows,
  endLine,
  type Reader,
  readLines,
  rowReader,
  screenText,
  scrollbackRows,
} from './reading.ts';
import { resizeState } from './resizing.ts';
import type { ScrollbackLimits } from './scrollback.ts';
import type { TerminalEvent } from './terminal-events.ts';
import { type CellPixels, TerminalState } from './terminal-state.ts';
import { verifyState } from './verify.ts';

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
    this.#nextRevision();
    this.#outputEnd = offset + bytes.length;
    if (bytes.length <= maxBytesAtOnce) this.#feedPart(bytes, offset);
    else {
      for (let at = 0; at < bytes.length; at += maxBytesAtOnce) {
        this.#feedPart(bytes.subarray(at, at + maxBytesAtOnce), offset + at);
      }
    }
  }

  #feedPart(bytes: Uint8Array, offset: number): void {
    this.#parser.feed(bytes, offset);
    compactTables(this.#state);
  }

  /** @throws VtrError INVALID_SIZE */
  resize(size: Size): void {
    const { cols, rows } = checkSize(size);
    if (cols === this.#state.cols && rows === this.#state.rows) return;
    this.#nextRevision();
    resizeState(this.#state, cols, rows);
  }

  /** What the terminal has answered to the program since the last call; null for nothing. */
  takeReplies(): Uint8Array | null {
    return this.#state.replies.take();
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

  /** Where the program last said that it works. */
  get reportedCwd(): ReportedCwd | null {
    return this.#state.reports.cwd;
  }

  get size(): Size {
    return { cols: this.#state.cols, rows: this.#state.rows };
  }

  get title(): string {
    return this.#state.titles.window;
  }

  /** Whether the alternate screen is the one that is shown. */
  get alternate(): boolean {
    return this.#state.onAlternate;
  }

  get cursor(): Cursor {
    const { cursor, modes } = this.#state;
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
    return screenText(this.#state);
  }

  /** A row of the screen that is shown. @param row 0-based, below the number of rows */
  readRow(row: number): Reader {
    return rowReader(this.#state, row);
  }

  /** The oldest line that is kept. */
  get firstLine(): number {
    return this.#state.scrollback.firstLine;
  }

  /** The line that the topmost row of the primary screen belongs to; it may begin above. */
  get topLine(): number {
    return this.#state.topLine;
  }

  /** One past the last line of the primary screen that anything stands in. */
  get endLine(): number {
    return endLine(this.#state);
  }

  /** Scrollback and primary screen, from line `from` up to and without `to`: those that there are. */
  readLines(from: number, to: number): Iterable<{ line: number; reader: Reader }> {
    return readLines(this.#state, from, to);
  }

  /** The scrollback cut into rows of the present width, as text, trailing blanks cut. */
  scrollbackRows(): string[] {
    return scrollbackRows(this.#state);
  }

  /** Rows of the shown screen that changed after a revision. */
  changedRows(since: number): number[] {
    return changedRows(this.#state, since);
  }

  /** What the last feed printed, by line; see {@link PrintedText}. */
  printedText(): Iterable<PrintedText> {
    return printedText(this.#state);
  }

  /** A number that is another one when the screen looks different. */
  fingerprint(): number {
    return fingerprint(this.#state);
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

  #nextRevision(): void {
    const state = this.#state;
    state.revision++;
    state.grid.revision = state.revision;
    state.printedOff.clear();
    state.scrollback.trim();
  }
}
