import { queryScore } from '#base';
import type { SessionInfo } from '#model';
import { commandText, directoryOf, isDriven, stateSinceMs, urgencyRank } from '#model';
import type { Entry, SortOrder, StateFilter } from './model.ts';

type Compare = (a: Entry, b: Entry) => number;

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Ends every comparison, so that the order is total: coordinators as configured, then the oldest. */
const byAge: Compare = (a, b) =>
  a.link - b.link || a.info.createdAtMs - b.info.createdAtMs || byText(a.info.id, b.info.id);

const compares: Readonly<Record<SortOrder, Compare>> = {
  // The session that waits longest comes first; all others keep their place while they work.
  attention: (a, b) =>
    urgencyRank(a.info) - urgencyRank(b.info) ||
    (a.info.attention?.sinceMs ?? 0) - (b.info.attention?.sinceMs ?? 0),
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
  directoryOf(info),
  info.title,
  coordinatorName,
  ...Object.values(info.labels ?? {}),
];

/**
 * Returns the entries that pass the filters, in order: with a query, the best matches first.
 */
export function arranged(
  entries: Iterable<Entry>,
  options: { readonly query: string; readonly states: StateFilter; readonly sort: SortOrder },
): Entry[] {
  const scored: { readonly entry: Entry; readonly score: number }[] = [];
  for (const entry of entries) {
    if (!passesFilter(options.states, entry.info)) continue;
    const score = queryScore(options.query, texts(entry));
    if (score !== null) scored.push({ entry, score });
  }
  const compare = compareBy(options.sort);
  scored.sort((a, b) => b.score - a.score || compare(a.entry, b.entry));
  return scored.map(({ entry }) => entry);
}
