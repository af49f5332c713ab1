import { directoryOf } from '#model';
import { layoutOf } from './drawing/layout.ts';
import type { Entry, ListRow, OverviewModel } from './model.ts';
import { arranged } from './order.ts';

const inputs = ['entries', 'query', 'states', 'sort', 'byDirectory'] as const;

/**
 * Completes a change of the model: the rows of the list, a selection that exists, and a view that
 * contains it.
 */
export function settled(before: OverviewModel, after: OverviewModel): OverviewModel {
  if (before === after) return after;
  const isSame = inputs.every((name) => before[name] === after[name]);
  const rows = isSame ? after.rows : rowsOf(after);
  const selected = selectedOf(after, rows);
  const awaited = selected.isAwaited ? null : after.awaited;
  const isOther = selected.key !== after.selected;
  const selectedAtMs = isOther ? after.nowMs : after.selectedAtMs;
  const model = { ...after, rows, selected: selected.key, selectedAtMs, awaited };
  return { ...model, top: topOf(model) };
}

function rowsOf(model: OverviewModel): ListRow[] {
  const entries = arranged(model.entries.values(), model);
  if (!model.byDirectory) return entries.map((entry) => ({ type: 'session', entry }));
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const path = directoryOf(entry.info);
    const group = groups.get(path);
    if (group === undefined) groups.set(path, [entry]);
    else group.push(entry);
  }
  return [...groups].flatMap(([path, group]): ListRow[] => [
    { type: 'directory', path },
    ...group.map((entry): ListRow => ({ type: 'session', entry })),
  ]);
}

export const keyAt = (rows: readonly ListRow[], index: number): string | null => {
  const row = rows[index];
  return row?.type === 'session' ? row.entry.key : null;
};

export const indexOf = (rows: readonly ListRow[], key: string | null): number =>
  rows.findIndex((row) => row.type === 'session' && row.entry.key === key);

function selectedOf(
  { selected, selectedAtMs, awaited, links, rows: rowsBefore }: OverviewModel,
  rows: readonly ListRow[],
): { key: string | null; isAwaited?: boolean } {
  if (awaited !== null) {
    const row = rows.find(
      (each) =>
        each.type === 'session' &&
        each.entry.coordinatorName === awaited.coordinatorName &&
        each.entry.info.name === awaited.name,
    );
    if (row?.type === 'session') return { key: row.entry.key, isAwaited: true };
  }
  if (indexOf(rows, selected) !== -1) {
    // Until all coordinators have answered, or the person selects one, it is the first session.
    const isFirst = selectedAtMs > 0 && selected === firstKey(rowsBefore);
    const isStarting = links.some(({ state }) => state === 'connecting');
    return { key: isStarting && isFirst ? firstKey(rows) : selected };
  }
  // The session that takes its place is selected.
  const index = Math.max(0, indexOf(rowsBefore, selected));
  return { key: keyAt(rows, index) ?? keyAt(rows, index - 1) ?? firstKey(rows) };
}

const firstKey = (rows: readonly ListRow[]): string | null => {
  const first = rows.find(({ type }) => type === 'session');
  return first?.type === 'session' ? first.entry.key : null;
};

/** Scrolls no more than needed to show the selected row. */
function topOf(model: OverviewModel): number {
  const { rows, selected, top } = model;
  const visible = Math.max(1, layoutOf(model).list.rows);
  const index = Math.max(0, indexOf(rows, selected));
  // The directory above the first session of a group stays in view.
  const first = rows[index - 1]?.type === 'directory' ? index - 1 : index;
  const lowest = index - visible + 1;
  const kept = Math.max(Math.min(top, visible > 1 ? first : index), lowest);
  return Math.max(0, Math.min(kept, Math.max(0, rows.length - visible)));
}
