import { encodeUtf8 } from '#base';
import { lastPrinted } from '../editing/printing.ts';
import { restoreOperation } from '../functions/saving.ts';
import type { Grid } from '../grid/grid.ts';
import { rowLength } from '../grid/wrapping.ts';
import { Charsets } from '../state/charsets.ts';
import type { SavedCursor } from '../state/cursor-state.ts';
import type { FlagStack } from '../state/modes.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import {
  charsetSequence,
  cursorSequence,
  dumpSettings,
  penSequence,
  protectionOf,
  restore,
} from './dump-settings.ts';
import { DumpWriter, lineFeed } from './dump-writer.ts';

/**
 * The level that supports all modes, until the end of a dump. Cells are dumped with grapheme
 * clusters off; see `clusterOutput`.
 */
export const dumpStart = `${restore(restoreOperation.conformanceLevel, 5)}\x1b[?2027l`;

// A dump is output that makes a new terminal of the same size and limits equal: a head, the complete
// lines above the screen, both screens with modes and saved cursors, and the state of the parser.

/** Returns the start of a dump. DECCOLM clears the screen, so it comes first. */
function dumpHead({ modes }: TerminalState): Uint8Array {
  return encodeUtf8(modes.wideColumns ? `${dumpStart}\x1b[?40h\x1b[?3h\x1b[?40l` : dumpStart);
}

/** More than the head has. */
const maxHeadBytes = 64;

/** Writes everything after the complete lines above the screen, except the parser's state. */
function dumpScreens(t: TerminalState, into: DumpWriter): void {
  if (t.scrollback.open) into.openLine(t.scrollback.nextLine);
  dumpGrid(t.primary, into);
  into.put(screenSettings(t.savedPrimary, t.keyboard.primaryFlags));
  if (t.alternate !== null) {
    if (t.onAlternate) into.put(cursorSequence(t.primaryCursor, 0, 0));
    into.put(alternateStart);
    dumpGrid(t.alternate, into);
    into.put(screenSettings(t.savedAlternate, t.keyboard.alternateFlags));
    if (!t.onAlternate) into.put('\x1b[?47l');
  }
  const parts: string[] = [];
  dumpSettings(t, parts);
  if (t.modes.graphemeClusters) parts.push('\x1b[?2027h');
  parts.push(restore(restoreOperation.lastPrinted, ...lastPrinted(t)));
  parts.push(restore(restoreOperation.conformanceLevel, t.modes.conformanceLevel));
  // The visible frame is not part of the dump.
  if (t.modes.synchronizedOutput) parts.push('\x1b[?2026h');
  into.put(parts.join(''));
}

/** Draws a screen. */
export function dumpGrid(grid: Grid, into: DumpWriter): void {
  for (let row = 0; row < grid.rows; row++) {
    const length = rowLength(grid, row);
    if (length > 0) {
      const start = grid.start(row);
      into.row(grid.codes, grid.styles, start, start + length);
    }
    if (row === grid.rows - 1) break;
    if (grid.wraps(row)) into.wrap(grid.cols - length);
    else into.newLine();
  }
}

/** Begins to draw the alternate screen. */
export const alternateStart = '\x1b[?47h\x1b[H';

/** Returns the settings that each screen has separately. */
function screenSettings(saved: SavedCursor, flags: FlagStack): string {
  const parts: string[] = [];
  const [first, ...others] = flags.entries;
  if (first !== 0) parts.push(`\x1b[=${first}u`);
  for (const entry of others) parts.push(`\x1b[>${entry}u`);

  // No margins are set yet. The wrap may be pending at a former right margin, so set one for it.
  const { col, wrapPending } = saved.cursor;
  if (wrapPending) parts.push(`\x1b[?69h\x1b[;${col + 1}s`);
  if (saved.origin) parts.push('\x1b[?6h');
  parts.push(
    cursorSequence(saved.cursor, 0, 0),
    penSequence(saved.pen),
    charsetSequence(saved.charsets),
    '\x1b7',
  );
  if (wrapPending) parts.push('\x1b[?69l');
  // Back to the state of a new terminal, for the next part of the dump.
  if (saved.origin) parts.push('\x1b[?6l');
  parts.push('\x1b[m', protectionOf(0), charsetSequence(new Charsets()));
  return parts.join('');
}

export interface DumpOptions {
  /** How many complete lines above the screen are part of the dump, the last ones; default all. */
  readonly scrollbackLines?: number;
  /** Bytes of lines after which a slice ends; default 128 KiB. */
  readonly sliceBytes?: number;
}

export interface Snapshot {
  /**
   * Output that makes a new terminal of this size, limits and first line equal to the dumped one.
   * It may be a part of a larger buffer.
   */
  readonly dump: Uint8Array;
  /** The first line of the new terminal. */
  readonly firstLine: number;
}

/** About half a millisecond. */
const defaultSliceBytes = 128 * 1024;

/**
 * A dump of a terminal in slices, so that a dump of many lines delays nothing else. The terminal may
 * be fed and resized between them.
 */
export class Dumping {
  readonly #t: TerminalState;
  readonly #pending: () => Uint8Array;
  readonly #maxLines: number;
  #sliceBytes: number;
  /** The dump so far: room for the head, and the lines `from` up to but excluding `to`. */
  #into: DumpWriter;
  #from = 0;
  #to = 0;
  // When and for which width they were dumped.
  #revision = 0;
  #cols = 0;
  /** One past the last line above the screen at the last slice. */
  #end = Number.POSITIVE_INFINITY;

  /** @param pending see `Parser` */
  constructor(t: TerminalState, pending: () => Uint8Array, options: DumpOptions = {}) {
    this.#t = t;
    this.#pending = pending;
    this.#maxLines = options.scrollbackLines ?? Number.POSITIVE_INFINITY;
    this.#sliceBytes = options.sliceBytes ?? defaultSliceBytes;
    this.#into = this.#begun();
  }

  /** Dumps a slice. The last one returns the terminal as it is then; the others return null. */
  next(): Snapshot | null {
    const t = this.#t;
    const { nextLine } = t.scrollback;
    const first = Math.max(t.scrollback.firstLine, nextLine - this.#maxLines);
    if (!this.#continues(first)) {
      if (this.#to > this.#from) this.#sliceBytes *= 2;
      this.#into = this.#begun();
      this.#from = first;
      this.#to = first;
    }
    this.#cols = t.cols;
    this.#revision = t.revision;
    const into = this.#into;
    const from = this.#to;
    const full = into.length + this.#sliceBytes;
    this.#to = into.lines(this.#to, nextLine, full);
    if (this.#to === nextLine) return this.#finished(first);
    if (from === this.#from) this.#reserve();
    // Otherwise a program that prints as fast would delay the end.
    if ((nextLine - this.#end) * 2 > this.#to - from) this.#sliceBytes *= 2;
    this.#end = nextLine;
    return null;
  }

  #begun(): DumpWriter {
    const into = new DumpWriter(this.#t, this.#t.cols);
    into.put(' '.repeat(maxHeadBytes));
    return into;
  }

  /**
   * Whether the lines so far are valid: no resize has changed them, and they are the lines from
   * `first` on, apart from older ones.
   */
  #continues(first: number): boolean {
    const { cols, rewrites } = this.#t;
    const areSame = cols === this.#cols && rewrites.returnedAfter(this.#revision) >= this.#to;
    return areSame && first >= this.#from && first <= this.#to;
  }

  /** Allocates the memory of the whole dump. Copying it whenever it grows would delay a slice. */
  #reserve(): void {
    const { scrollback } = this.#t;
    const bytes = (this.#into.length / (this.#to - this.#from)) * (scrollback.nextLine - this.#to);
    // The first lines may be much longer than the others.
    this.#into.reserve(Math.round(Math.min(bytes * 1.25, scrollback.bytes * 4)));
  }

  #finished(first: number): Snapshot {
    const into = this.#into;
    const start = this.#startOf(first);
    dumpScreens(this.#t, into);
    into.append(this.#pending());
    const head = dumpHead(this.#t);
    into.bytes.set(head, start - head.length);
    return { dump: into.bytes.subarray(start - head.length), firstLine: first };
  }

  /** Returns where a line begins. Lines before it were dropped since they were dumped. */
  #startOf(first: number): number {
    const { bytes } = this.#into;
    let start = maxHeadBytes;
    for (let line = this.#from; line < first; line++) start = bytes.indexOf(lineFeed, start) + 1;
    return start;
  }
}
