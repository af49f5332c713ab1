import { create } from '@bufbuild/protobuf';
import { type SubscribeEvent, SubscribeEventSchema } from '#messages';
import type { Cell, ScreenSnapshot } from '#model';
import { toScreen } from '../../convert/output/screen.ts';
import { toTimestamp } from '../../convert/time.ts';
import type { TakenSnapshot } from './screen-feed.ts';

/**
 * Yields an update for each screen that differs from the one before.
 *
 * @param changedRowsOnly updates after the first contain the changed rows, not the whole screen
 */
export async function* screenUpdates(
  name: string,
  snapshots: AsyncIterable<TakenSnapshot>,
  changedRowsOnly: boolean,
): AsyncIterable<SubscribeEvent> {
  let last: ScreenSnapshot | null = null;
  for await (const { screen, atMs, skipped } of snapshots) {
    const isNew = last === null || !isSameShape(last, screen);
    const changedRows = isNew ? [...screen.text.keys()] : changedRowsOf(last, screen);
    if (isNew || changedRows.length > 0 || differsOutsideRows(last, screen)) {
      const full = isNew || !changedRowsOnly;
      const shown = full ? screen : rowsOf(screen, changedRows);
      const value = { screen: toScreen(name, shown), full, changedRows, skipped };
      yield create(SubscribeEventSchema, {
        event: { case: 'screenUpdate', value },
        revision: BigInt(screen.revision),
        at: toTimestamp(atMs),
      });
    }
    last = screen;
  }
}

const rowsOf = (screen: ScreenSnapshot, rows: readonly number[]): ScreenSnapshot => ({
  ...screen,
  cells: rows.map((row) => screen.cells?.[row] ?? []),
});

const isSameShape = (a: ScreenSnapshot | null, b: ScreenSnapshot): a is ScreenSnapshot =>
  a?.size.cols === b.size.cols && a.size.rows === b.size.rows && a.alternate === b.alternate;

function differsOutsideRows(a: ScreenSnapshot | null, b: ScreenSnapshot): boolean {
  return a?.title !== b.title || a.topLine !== b.topLine || !hasSameFields(a.cursor, b.cursor);
}

function changedRowsOf(before: ScreenSnapshot | null, after: ScreenSnapshot): number[] {
  const changed = [];
  for (const [row, cells] of (after.cells ?? []).entries()) {
    if (!isSameRow(before?.cells?.[row] ?? [], cells)) changed.push(row);
  }
  return changed;
}

/** Unchanged rows are mostly the same objects. */
const isSameRow = (a: readonly Cell[], b: readonly Cell[]): boolean =>
  a === b || (a.length === b.length && b.every((cell, col) => isSameCell(a[col], cell)));

const isSameCell = (a: Cell | undefined, b: Cell): boolean =>
  a === b || (a?.text === b.text && a.width === b.width && hasSameFields(a.style, b.style));

function hasSameFields<T extends object>(a: T, b: T): boolean {
  if (a === b) return true;
  for (const name in b) if (a[name] !== b[name]) return false;
  return true;
}
