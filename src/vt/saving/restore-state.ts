import { encodeUtf8 } from '#base';
import { dumpStart } from '../dump/dump.ts';
import { moveTo, resetMargins } from '../editing/movement.ts';
import { Grid } from '../grid/grid.ts';
import { Frame } from '../state/frame.ts';
import { Modes } from '../state/modes.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import {
  restoreCursor,
  restoreRows,
  type SavedFrame,
  type SavedWatch,
  savedCols,
} from './saved-watch.ts';

/** What is saved besides the lines above the screen. */
export interface SavedState {
  readonly dump: Uint8Array;
  readonly watch: SavedWatch | null;
  /** The revision of the saved terminal. */
  readonly revision: number;
}

/**
 * Restores the saved state in a new terminal. Returns false if there is no {@link SavedWatch}, or one of
 * another state: then all rows count as changed in the revision after the saved one.
 *
 * @param lines the lines above the screen, up to the last
 * @param feed applies output, without a revision of its own
 */
export function restoreState(
  t: TerminalState,
  { dump, watch, revision }: SavedState,
  lines: readonly Uint8Array[],
  feed: (bytes: Uint8Array) => void,
): boolean {
  const { cols, rows } = t;
  t.scrollback.isRestoring = true;
  // A screen of one row: each line is complete when it leaves the screen.
  beginScreen(t, savedCols, 1);
  feed(encodeUtf8(dumpStart));
  for (const part of lines) {
    feed(part);
    if (!watch?.frame) t.scrollback.trim();
  }
  if (watch?.frame) {
    beginScreen(t, cols, rows);
    feed(encodeUtf8(watch.frame.dump));
    t.frame = restoredFrame(t, watch.frame);
  }
  beginScreen(t, cols, rows);
  feed(dump);
  t.scrollback.isRestoring = false;
  t.printedOffScreen.clear();
  if (watch !== null && isOf(watch, t)) {
    applyWatch(t, watch);
    return true;
  }
  t.frame = null;
  forgetChanges(t, revision + 1);
  return false;
}

/** Begins with an empty screen. Later lines continue the scrollback. */
function beginScreen(t: TerminalState, cols: number, rows: number): void {
  t.cols = cols;
  t.rows = rows;
  t.primary = new Grid(cols, rows);
  t.grid = t.primary;
  t.alternate = null;
  // Nothing counts as just printed.
  t.primary.printedSince = Number.POSITIVE_INFINITY;
  t.modes = new Modes(t.graphemeClusters);
  t.pen.reset();
  resetMargins(t);
  moveTo(t, 0, 0);
}

function restoredFrame(t: TerminalState, saved: SavedFrame): Frame | null {
  const { revision, cursorVisible, cursorShape, cursorBlinking, reverseVideo = false } = saved;
  if ((saved.alternate !== null) !== t.onAlternate) return null;
  restoreRows(t.primary, saved.primary);
  if (saved.alternate !== null) restoreRows(t.grid, saved.alternate);
  restoreCursor(t.cursor, saved.cursor);
  restoreCursor(t.primaryCursor, saved.primaryCursor);
  const { cols, rows, grid, primary, onAlternate, cursor, primaryCursor, scrollback } = t;
  const { topLine, styles, clusters } = t;
  const modes = { cursorVisible, cursorShape, cursorBlinking, reverseVideo };
  return new Frame(
    {
      cols,
      rows,
      grid,
      primary,
      onAlternate,
      cursor,
      primaryCursor,
      modes,
      scrollback,
      topLine,
      styles,
      clusters,
      revision,
      colors: restoredColors(saved),
    },
    saved.scrollback,
  );
}

function restoredColors({ colors = [] }: SavedFrame): ReadonlyMap<number, number> {
  const restored = new Map<number, number>();
  for (let at = 0; at + 1 < colors.length; at += 2) restored.set(colors[at], colors[at + 1]);
  return restored;
}

/** Whether both were saved together. */
function isOf(watch: SavedWatch, t: TerminalState): boolean {
  return (
    (watch.alternate === null) === (t.alternate === null) &&
    (watch.frame === null) === (t.frame === null) &&
    (watch.frame === null || t.modes.synchronizedOutput) &&
    watch.linesEnd === t.scrollback.nextLine
  );
}

function applyWatch(t: TerminalState, watch: SavedWatch): void {
  t.revision = watch.revision;
  t.printedSince = watch.printedSince;
  restoreCursor(t.primaryCursor, watch.primaryCursor);
  restoreRows(t.primary, watch.primary);
  if (t.alternate !== null && watch.alternate !== null) restoreRows(t.alternate, watch.alternate);
  t.scrollback.pushedRows = watch.pushedRows;
  t.rewrites.restore(watch.rewrites);
  const printed = watch.frame?.printed ?? [];
  for (let at = 0; at < printed.length; at += 3) {
    t.printedOffScreen.push(printed[at], printed[at + 1], printed[at + 2]);
  }
}

/** All rows have changed now. When they were printed is unknown. */
function forgetChanges(t: TerminalState, revision: number): void {
  t.revision = revision;
  t.printedSince = revision;
  for (const grid of t.alternate === null ? [t.primary] : [t.primary, t.alternate]) {
    grid.revision = revision;
    grid.printedSince = revision;
    for (let row = 0; row < grid.rows; row++) grid.metadata(row).printedAt = -1;
    grid.damageAll();
  }
}
