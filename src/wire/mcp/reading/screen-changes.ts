/** Rows of a screen that stand elsewhere than before, as after a scroll. Counted from 0. */
export type MovedRows = {
  /** The first of them before. */
  readonly from: number;
  /** The first of them now. */
  readonly to: number;
  readonly count: number;
};

/**
 * What turns an earlier screen into the present one: `moved` rows are copied, then `changed` rows are replaced. All
 * other rows are as they were.
 */
export interface ScreenChanges {
  /** Null if moving rows would not shorten the text. */
  readonly moved: MovedRows | null;
  /** Blank ones last: they have no line in `text`. */
  readonly changed: readonly number[];
  /** The changed rows that are not blank. */
  readonly text: string;
}

/** About what an answer needs for the number of a changed row, in characters. */
const numberChars = 4;
/** About what an answer needs for moved rows, in characters. */
const movedChars = 45;
/** Above this part of the screen's text, the screen is easier to read than its changes. */
const maxPart = 0.75;

/** Returns the changes from one screen to another; null if they are not much shorter than the screen. */
export function screenChanges(
  before: readonly string[],
  now: readonly string[],
): ScreenChanges | null {
  const rows = Math.max(before.length, now.length);
  const moved = movedRows(before, now, rows);
  const changed = Array.from({ length: rows }, (_, row) => row).filter(
    (row) => rowAt(before, sourceOf(row, moved)) !== rowAt(now, row),
  );
  const isBlank = (row: number) => rowAt(now, row).trim() === '';
  const shown = changed.filter((row) => !isBlank(row));
  const text = shown.map((row) => rowAt(now, row)).join('\n');
  const chars = text.length + changed.length * numberChars + (moved === null ? 0 : movedChars);
  if (changed.length > 0 && chars > now.join('\n').length * maxPart) return null;
  return { moved, changed: [...shown, ...changed.filter(isBlank)], text };
}

const rowAt = (rows: readonly string[], row: number): string => rows[row] ?? '';

/** Returns where a row was before its rows moved. */
const sourceOf = (row: number, moved: MovedRows | null): number =>
  moved !== null && row >= moved.to && row < moved.to + moved.count
    ? row - moved.to + moved.from
    : row;

/** Returns the block of rows whose move saves the most text. Rows between them may have changed. */
function movedRows(
  before: readonly string[],
  now: readonly string[],
  rows: number,
): MovedRows | null {
  let best: MovedRows | null = null;
  let mostSaved = movedChars;
  for (let by = 1 - rows; by < rows; by++) {
    if (by === 0) continue;
    let saved = 0;
    let first = 0;
    // The part with the greatest sum (Kadane): what is saved is positive, what has to be told in addition is negative.
    for (let to = Math.max(0, by); to < Math.min(rows, rows + by); to++) {
      const text = rowAt(now, to);
      const isMoved = rowAt(before, to - by) === text;
      const isInPlace = rowAt(before, to) === text;
      if (saved <= 0) [saved, first] = [0, to];
      if (isMoved !== isInPlace) saved += (isMoved ? 1 : -1) * (text.length + numberChars);
      if (saved <= mostSaved) continue;
      mostSaved = saved;
      best = { from: first - by, to: first, count: to - first + 1 };
    }
  }
  return best;
}
