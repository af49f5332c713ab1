import { cleanLine } from '#base';
import { type Cell, type Cursor, isSameStyle, plainStyle, type Size } from '#model';
import type { Capabilities } from './capabilities.ts';
import { paintRow } from './paint-row.ts';
import { type PaintedRow, type Picture, RowReducer } from './painted-row.ts';
import { linkSequence, TtyWriter } from './tty-writer.ts';

/** What a terminal shows after it has read all output of {@link paint}. */
export interface Painted {
  readonly picture: Picture;
  /** The last title that was set; null if none was. */
  readonly title: string | null;
}

export interface Painting {
  /** Output for the terminal; empty if nothing changes. */
  readonly bytes: string;
  readonly painted: Painted;
}

/**
 * Ends a string, and resets what output before may have left: pen, side margins, margins, origin,
 * insertion, autowrap, character sets. Then clears.
 */
const clear = '\x1b\\\x1b[m\x1b[?69l\x1b[r\x1b[?6l\x1b[4l\x1b[?7l\x1b(B\x0f\x1b[?25l\x1b[H\x1b[2J';

const emptyRow: readonly Cell[] = [];
const steadyShapes = { block: 2, underline: 4, bar: 6 } as const;

/** One per terminal: for pictures as they are, and for those in reverse video that it lacks. */
const reducers = new WeakMap<Capabilities, readonly [RowReducer, RowReducer]>();

/**
 * Returns the output that makes a terminal show a picture. Nothing but cells reaches it: text without
 * controls, safe links, and the sequences of this room. A pending wrap is not painted.
 *
 * @param before what it shows: the result of the painting before with the same capabilities. Null if
 * that is unknown. If it is, or the size has changed, the terminal is cleared
 * @param capabilities the same object for the same terminal
 */
export function paint(
  before: Painted | null,
  after: Picture,
  capabilities: Capabilities,
): Painting {
  const shown = before !== null && hasSize(before.picture, after.size) ? before.picture : null;
  const out = new TtyWriter(shown?.cursor ?? null);
  const title = capabilities.titles ? cleanTitle(after.title) : null;
  if (title !== null && title !== before?.title) out.put(`\x1b]2;${title}\x1b\\`);
  const { reverseVideo } = after;
  if (capabilities.reverseVideo && reverseVideo !== shown?.reverseVideo) {
    out.put(reverseVideo ? '\x1b[?5h' : '\x1b[?5l');
  }
  paintRows(out, shown, after, capabilities);
  out.setStyle(plainStyle);
  const { row, col } = after.cursor;
  out.moveTo(Math.min(row, after.size.rows - 1), Math.min(col, after.size.cols - 1));
  const bytes = framed(out, shown?.cursor ?? null, after.cursor, capabilities);
  return { bytes, painted: { picture: after, title: title ?? before?.title ?? null } };
}

function hasSize({ size }: Picture, { cols, rows }: Size): boolean {
  return size.cols === cols && size.rows === rows;
}

function paintRows(
  out: TtyWriter,
  shown: Picture | null,
  after: Picture,
  capabilities: Capabilities,
): void {
  const { cols, rows } = after.size;
  const target = reducerFor(capabilities, after.reverseVideo);
  const blank = reducerFor(capabilities, false).reduce(emptyRow, cols);
  const next = target.rows(after);
  if (shown === null) {
    out.put(clear + (capabilities.hyperlinks ? linkSequence(null) : ''));
    out.setPosition(0, 0);
    for (let row = 0; row < rows; row++) paintRow(out, row, blank, next[row], capabilities);
    return;
  }
  let last = reducerFor(capabilities, shown.reverseVideo).rows(shown);
  const changes = next.map((row, at) => costOfRow(last[at], row));
  const scroll = findScroll(last, next, changes);
  if (scroll !== null) {
    scrollRegion(out, scroll, rows);
    last = scrolled(last, scroll, blank);
  }
  for (let row = 0; row < rows; row++) {
    const isScrolled = scroll !== null && row >= scroll.top && row <= scroll.bottom;
    if (isScrolled || changes[row] > 0) paintRow(out, row, last[row], next[row], capabilities);
  }
}

/** Deletes or inserts rows: unlike SU and SD, every terminal can do that, and in a region. */
function scrollRegion(out: TtyWriter, { top, bottom, by }: Scroll, rows: number): void {
  const isWhole = top === 0 && bottom === rows - 1;
  if (!isWhole) out.put(`\x1b[${top + 1};${bottom + 1}r`);
  out.put(top === 0 ? '\x1b[H' : `\x1b[${top + 1}H`);
  out.put(by > 0 ? `\x1b[${by}M` : `\x1b[${-by}L`);
  if (!isWhole) out.put('\x1b[r');
  out.setPosition(-1, -1);
}

function reducerFor(capabilities: Capabilities, reverseVideo: boolean): RowReducer {
  let pair = reducers.get(capabilities);
  if (pair === undefined) {
    pair = [new RowReducer(capabilities, false), new RowReducer(capabilities, true)];
    reducers.set(capabilities, pair);
  }
  return pair[reverseVideo && !capabilities.reverseVideo ? 1 : 0];
}

/** Adds the changes of the cursor, and what keeps a half-painted frame or a moving cursor invisible. */
function framed(
  out: TtyWriter,
  before: Cursor | null,
  after: Cursor,
  capabilities: Capabilities,
): string {
  const shape = capabilities.cursorShapes ? shapeChange(before, after) : '';
  const isShort = before !== null && !out.hasMoved;
  const isHiding = before?.visible === true && !isShort && !capabilities.synchronized;
  const isVisible = before?.visible === true && !isHiding;
  const show = after.visible === isVisible ? '' : after.visible ? '\x1b[?25h' : '\x1b[?25l';
  const bytes = (isHiding ? '\x1b[?25l' : '') + out.text + shape + show;
  if (isShort || !capabilities.synchronized) return bytes;
  return `\x1b[?2026h${bytes}\x1b[?2026l`;
}

/** DECSCUSR. A blinking block is what a terminal begins with: then it is the person's own choice. */
function shapeChange(before: Cursor | null, { shape, blinking }: Cursor): string {
  if (before !== null && before.shape === shape && before.blinking === blinking) return '';
  if (shape === 'block' && blinking) return '\x1b[0 q';
  return `\x1b[${steadyShapes[shape] - (blinking ? 1 : 0)} q`;
}

/** In UTF-16 code units. */
const maxTitle = 256;

const cleanTitle = (title: string | null): string | null => title && cleanLine(title, maxTitle);

/** Rows that move within a region, so that fewer cells are written. */
interface Scroll {
  /** The first and last row of the region. */
  readonly top: number;
  readonly bottom: number;
  /** Rows by which the content moves up; down if negative. */
  readonly by: number;
}

/** Fewer changed rows are never scrolled. */
const leastRows = 3;
/** In bytes: to set a region, scroll it, and reset it. */
const costOfScroll = 24;
/** In bytes: to a row, or over the cells between two changes. */
const costOfMove = 5;

/**
 * Finds the scroll that saves most, by rows whose text is found elsewhere.
 *
 * @param before by row
 * @param changes by row: what it costs to change it, see {@link costOfRow}
 */
function findScroll(
  before: readonly PaintedRow[],
  after: readonly PaintedRow[],
  changes: readonly number[],
): Scroll | null {
  const changed = [...changes.keys()].filter((row) => changes[row] > 0);
  const by = changed.length < leastRows ? 0 : mostFrequentMove(before, after, changed);
  return by === 0 ? null : bestRegion(before, after, changes, by);
}

/** Finds the region in which a scroll by so many rows saves most. */
function bestRegion(
  before: readonly PaintedRow[],
  after: readonly PaintedRow[],
  changes: readonly number[],
  by: number,
): Scroll | null {
  // What the rows above cost more when they are painted on blank ones.
  const uncovered = [0];
  for (const [row, { used }] of after.entries()) {
    uncovered.push(uncovered[row] + (used > 0 ? used + costOfMove : 0) - changes[row]);
  }
  const last = by > 0 ? after.length - 1 - by : after.length - 1;
  let best: Scroll | null = null;
  let most = costOfScroll;
  let saved = 0;
  let start = Math.max(0, -by);
  // The rows from `start` to `row` get the content of others; those after or before are uncovered.
  for (let row = start; row <= last; row++) {
    if (saved <= 0) {
      saved = 0;
      start = row;
    }
    if (changes[row] > 0 || saved > 0) {
      saved += changes[row] - costOfRow(before[row + by], after[row]);
    }
    const lost =
      by > 0
        ? uncovered[row + 1 + by] - uncovered[row + 1]
        : uncovered[start] - uncovered[start + by];
    if (saved - lost <= most) continue;
    most = saved - lost;
    best = { top: Math.min(start, start + by), bottom: Math.max(row, row + by), by };
  }
  return best;
}

/** Returns the rows after a scroll; those that it uncovers are `blank`. */
function scrolled(
  rows: readonly PaintedRow[],
  { top, bottom, by }: Scroll,
  blank: PaintedRow,
): PaintedRow[] {
  return rows.map((row, at) => {
    if (at < top || at > bottom) return row;
    const from = at + by;
    return from < top || from > bottom ? blank : rows[from];
  });
}

/** The distance by which most rows moved; 0 if none did. */
function mostFrequentMove(
  before: readonly PaintedRow[],
  after: readonly PaintedRow[],
  changed: readonly number[],
): number {
  const places = new Map<number, number>();
  for (const row of changed) {
    const { hash } = before[row];
    // Rows that occur twice tell nothing.
    if (hash !== 0) places.set(hash, places.has(hash) ? -1 : row);
  }
  const votes = new Map<number, number>();
  let best = 0;
  for (const row of changed) {
    const place = places.get(after[row].hash) ?? -1;
    if (place < 0 || place === row) continue;
    const count = (votes.get(place - row) ?? 0) + 1;
    votes.set(place - row, count);
    if (count > (votes.get(best) ?? 0)) best = place - row;
  }
  return best;
}

/** Returns about how many bytes change one row into another. */
function costOfRow(one: PaintedRow, other: PaintedRow): number {
  if (one === other) return 0;
  let count = 0;
  for (let col = 0; col < one.texts.length; col++) {
    if (one.texts[col] !== other.texts[col] || !isSameStyle(one.styles[col], other.styles[col])) {
      count++;
    }
  }
  return count === 0 ? 0 : count + costOfMove;
}
