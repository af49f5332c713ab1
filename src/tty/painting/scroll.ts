import { isSameStyle } from '#model';
import type { PaintedRow } from './painted-row.ts';

/** Rows that move within a region, so that fewer cells are written. */
export interface Scroll {
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
export function findScroll(
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
export function scrolled(
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
export function costOfRow(one: PaintedRow, other: PaintedRow): number {
  if (one === other) return 0;
  let count = 0;
  for (let col = 0; col < one.texts.length; col++) {
    if (one.texts[col] !== other.texts[col] || !isSameStyle(one.styles[col], other.styles[col])) {
      count++;
    }
  }
  return count === 0 ? 0 : count + costOfMove;
}
