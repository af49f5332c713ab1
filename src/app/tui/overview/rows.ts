import { queryMatches } from '#base';
import {
  type AttentionKind,
  commandText,
  compareByNeed,
  directoryOf,
  isDriven,
  isShownLabel,
  type SessionInfo,
  stateSinceMs,
  trackingText,
  withBranch,
  withTilde,
} from '#model';
import { layoutOf } from './layout.ts';
import {
  byDirectory,
  type Entry,
  type ListRow,
  type OverviewModel,
  type SortOrder,
  type StateFilter,
} from './model.ts';
import { tmuxRows, tmuxSessions } from './tmux-sessions.ts';

const inputs = ['entries', 'query', 'states', 'sort', 'groupedBy', 'selected', 'shows'] as const;

/**
 * Completes a change of the model: the rows of the list, a selection that exists, and a view that
 * contains it.
 */
export function settled(before: OverviewModel, after: OverviewModel): OverviewModel {
  if (before === after) return after;
  const areSame = inputs.every((name) => before[name] === after[name]);
  const rows = areSame ? after.rows : rowsOf(after);
  const selected = selectedOf(after, rows);
  const awaited = selected.isAwaited ? null : after.awaited;
  const isOther = selected.key !== after.selected;
  const selectedAtMs = isOther ? after.nowMs : after.selectedAtMs;
  const { key } = selected;
  const attention = key === null ? undefined : after.entries.get(key)?.info.attention;
  const isKept = key === before.selected || key === null || attention === undefined;
  const look = isKept ? after.want : { key, attention };
  const isScrolled = after.isScrolled && key === before.selected;
  const model = { ...after, rows, selected: key, selectedAtMs, want: look, awaited, isScrolled };
  return { ...model, top: isScrolled ? scrolledTop(model) : topOf(model) };
}

function rowsOf(model: OverviewModel): ListRow[] {
  const sorted = arranged(placed(model), model);
  const entries = sorted.map((entry) => model.entries.get(entry.key) ?? entry);
  // The side bar has projects.
  const groupedBy = model.groupedBy ?? (model.shows === 'panes' ? byDirectory : null);
  if (groupedBy === null) return entries.map((entry) => ({ type: 'session', entry }));
  const groups = new Map<string, Entry[]>();
  const ofTmux = groupedBy === byDirectory ? tmuxSessions(entries) : new Map<string, string>();
  for (const entry of entries) {
    const session = ofTmux.get(entry.key);
    const name = session === undefined ? groupOf(entry.info, groupedBy) : tmuxGroup + session;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [entry]);
    else group.push(entry);
  }
  return [...groups].flatMap(([name, group]): ListRow[] =>
    name.startsWith(tmuxGroup)
      ? tmuxRows(group)
      : [
          { type: 'group', name, infos: group.map(({ info }) => info) },
          ...group.map((entry): ListRow => ({ type: 'session', entry })),
        ],
  );
}

/** No directory is called so. */
const tmuxGroup = '\0tmux ';

/** What may end when a person looks. */
const endedByLooks: ReadonlySet<AttentionKind> = new Set([
  'done',
  'failed',
  'activity',
  'silence',
  'bell',
]);

/** Returns the entries as they are sorted: one that wanted somebody until it was selected keeps its place. */
function placed({ entries, selected, want }: OverviewModel): Iterable<Entry> {
  const entry = entries.get(selected ?? '');
  if (entry === undefined || want === null || want.key !== selected) return entries.values();
  const { info } = entry;
  const isEnded = info.attention === undefined && endedByLooks.has(want.attention.kind);
  if (!isEnded) return entries.values();
  const before = { ...entry, info: { ...info, attention: want.attention } };
  return [...entries.values()].map((each) => (each === entry ? before : each));
}

const groupOf = (info: SessionInfo, by: string): string =>
  by === byDirectory ? directoryOf(info) : (info.labels?.[by] ?? '');

/** Returns by what sessions are grouped next: nothing, directories, then each label that a session has. */
export function nextGrouping({ groupedBy, entries }: OverviewModel): string | null {
  const keys = [...entries.values()].flatMap(({ info }) => Object.keys(info.labels ?? {}));
  const labels = [...new Set(keys)].filter(isShownLabel).sort();
  const all = [null, byDirectory, ...labels];
  return all[all.indexOf(groupedBy) + 1] ?? null;
}

export const keyAt = (rows: readonly ListRow[], index: number): string | null => {
  const row = rows[index];
  return row?.type === 'session' ? row.entry.key : null;
};

/** Returns the text of the head of a group: a directory with its branch, and how far that is ahead and behind, or the value of a label. */
export function groupText(
  { home, groupedBy, tracking }: OverviewModel,
  { name, infos, tmux }: ListRow & { readonly type: 'group' },
): string {
  if (tmux !== undefined) return tmux.text;
  if (name === '') return '(none)';
  const place = withTilde(name, home);
  const isDirectory = groupedBy === null || groupedBy === byDirectory;
  // Ended sessions have the branch of then.
  const first = infos.find(({ state }) => state !== 'exited') ?? infos[0];
  if (!isDirectory || first === undefined) return place;
  const differs = tracking.get(name);
  const text = differs === undefined ? '' : trackingText(differs);
  return text === '' ? withBranch(place, first) : `${withBranch(place, first)} ${text}`;
}

/** Returns the keys of the sessions of the group whose head is at an index. */
export function keysOfGroup(rows: readonly ListRow[], index: number): string[] {
  const after = rows.slice(index + 1);
  const head = rows[index];
  const session = head?.type === 'group' && head.tmux?.isWindow === false ? head.tmux : null;
  // The windows of a session of tmux have heads of their own.
  const isNext = (row: ListRow) =>
    row.type === 'group' && !(session !== null && row.tmux?.isWindow === true);
  const end = after.findIndex(isNext);
  const group = end === -1 ? after : after.slice(0, end);
  return group.flatMap((row) => (row.type === 'session' ? [row.entry.key] : []));
}

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
  // The head of a group stays in view with its first session.
  const first = rows[index - 1]?.type === 'group' ? index - 1 : index;
  const lowest = index - visible + 1;
  const start = Math.max(Math.min(top, visible > 1 ? first : index), lowest);
  return Math.max(0, Math.min(start, Math.max(0, rows.length - visible)));
}

/** Keeps the view within the rows. */
const scrolledTop = (model: OverviewModel): number =>
  Math.max(0, Math.min(model.top, model.rows.length - Math.max(1, layoutOf(model).list.rows)));

type Compare = (a: Entry, b: Entry) => number;

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Ends every comparison, so that the order is total: coordinators as configured, then the oldest. */
const byAge: Compare = (a, b) =>
  a.link - b.link || a.info.createdAtMs - b.info.createdAtMs || byText(a.info.id, b.info.id);

const compares: Readonly<Record<SortOrder, Compare>> = {
  // The session that waits longest comes first; all others keep their place while they work.
  need: (a, b) => compareByNeed(a.info, b.info),
  name: (a, b) => byText(a.info.name, b.info.name),
  newest: (a, b) => b.info.createdAtMs - a.info.createdAtMs,
  'last active': (a, b) => stateSinceMs(b.info) - stateSinceMs(a.info),
};

const compareBy =
  (order: SortOrder): Compare =>
  (a, b) =>
    compares[order](a, b) || byAge(a, b);

const passes: Readonly<Record<StateFilter, (info: SessionInfo) => boolean>> = {
  all: () => true,
  wanting: ({ attention }) => attention !== undefined,
  driven: isDriven,
  running: ({ state, activity }) => state === 'running' && activity?.state !== 'at_prompt',
  'at prompt': ({ activity }) => activity?.state === 'at_prompt',
  exited: ({ state }) => state === 'exited',
};

export const passesFilter = (filter: StateFilter, info: SessionInfo): boolean =>
  passes[filter](info);

/** What the person looks for in a session. */
const texts = ({ info, coordinatorName }: Entry): string[] => [
  info.name,
  commandText(info),
  withBranch(directoryOf(info), info),
  info.title,
  coordinatorName,
  ...Object.values(info.labels ?? {}),
];

/**
 * Returns the entries that pass the filters, in order: with a query, the best matches first.
 */
export function arranged(
  entries: Iterable<Entry>,
  options: {
    readonly query: string;
    readonly states: StateFilter;
    readonly sort: SortOrder;
    readonly group?: OverviewModel['group'];
  },
): Entry[] {
  const { query, states, group } = options;
  const passing = [...entries].filter(
    ({ info }) => passesFilter(states, info) && group?.has(info) !== false,
  );
  const compare = compareBy(options.sort);
  return queryMatches(passing, query, texts)
    .sort((a, b) => b.score - a.score || compare(a.item, b.item))
    .map(({ item }) => item);
}
