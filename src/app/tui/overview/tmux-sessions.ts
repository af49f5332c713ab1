import { type SessionInfo, type TmuxPlace, tmuxPlaceOf, tmuxPopupOf } from '#model';
import type { Pane } from '../panes/panes.ts';
import { type Entry, keyOf, type ListRow, type OverviewModel } from './model.ts';

/** Returns the id by which panes know a session of tmux. No session of ours has one. */
export const tmuxId = (server: string, name: string): string => `tmux ${server} ${name}`;

interface Placed {
  readonly entry: Entry;
  readonly place: TmuxPlace;
}

const placed = (entries: Iterable<Entry>): Placed[] =>
  [...entries].flatMap((entry) => {
    const place = tmuxPlaceOf(entry.info);
    return place === null ? [] : [{ entry, place }];
  });

/** What names a session of tmux, of whichever coordinator; null for an entry that is neither a pane nor a popup of one. */
function sessionKey({ link, info }: Entry): string | null {
  const of = tmuxPlaceOf(info) ?? tmuxPopupOf(info);
  return of === null ? null : `${link} ${of.session} ${of.server}`;
}

/**
 * Returns the sessions of tmux of which a program runs, by the keys of the entries that are their panes and popups.
 * Those that a server has left behind belong to none.
 */
export function tmuxSessions(entries: Iterable<Entry>): ReadonlyMap<string, string> {
  const all = [...entries];
  const running = placed(all).filter(({ entry }) => entry.info.state === 'running');
  const living = new Set(running.map(({ entry }) => sessionKey(entry)));
  return new Map(
    all.flatMap((entry): [string, string][] => {
      const key = sessionKey(entry);
      return key !== null && living.has(key) ? [[entry.key, key]] : [];
    }),
  );
}

/** Returns the rows of a session of tmux: its head, its popups, then its windows and their panes in their order. */
export function tmuxRows(entries: readonly Entry[]): ListRow[] {
  const all = placed(entries).sort(
    ({ place: one }, { place: other }) => one.index - other.index || one.at - other.at,
  );
  const windows = new Map<number, Placed[]>();
  for (const each of all) {
    const panes = windows.get(each.place.window) ?? [];
    windows.set(each.place.window, [...panes, each]);
  }
  const sessionRows = (panes: readonly Placed[]): ListRow[] =>
    panes.map(({ entry }) => ({ type: 'session', entry }));
  const over = entries.filter(({ info }) => tmuxPlaceOf(info) === null);
  const popups = over.map((entry): ListRow => ({ type: 'session', entry }));
  const current = all.find(({ place }) => place.isCurrent && place.isActive) ?? all[0];
  if (current === undefined) return [];
  const [only, ...more] = windows.values();
  const title = titleOf(current);
  if (only !== undefined && more.length === 0) {
    const text = `${title}:${windowText(current)}`;
    return [headRow(entries, current, { isWindow: false, text }), ...popups, ...sessionRows(only)];
  }
  return [
    headRow(entries, current, { isWindow: false, text: title }),
    ...popups,
    ...[...windows.values()].flatMap((panes) => {
      const active = panes.find(({ place }) => place.isActive) ?? panes[0];
      if (active === undefined) return [];
      const text = `${windowText(active)}${active.place.isCurrent ? '*' : ''}`;
      const shown = panes.map(({ entry }) => entry);
      return [headRow(shown, active, { isWindow: true, text }), ...sessionRows(panes)];
    }),
  ];
}

function headRow(
  entries: readonly Entry[],
  { entry: { link, coordinatorName }, place }: Placed,
  { isWindow, text }: { readonly isWindow: boolean; readonly text: string },
): ListRow {
  const tmux = { link, coordinatorName, place, isWindow, text };
  return { type: 'group', name: text, infos: entries.map(({ info }) => info), tmux };
}

/** A session, with its coordinator and its server unless they are the usual ones. */
function titleOf({ entry: { link, coordinatorName }, place }: Placed): string {
  const [, server = ''] = /([^/]*)$/.exec(place.server) ?? [];
  const at = server === 'default' || server === '' ? '' : ` -L ${server}`;
  return `tmux${at} ${link > 0 ? `${coordinatorName}:` : ''}${place.sessionName}`;
}

const windowText = ({ entry, place }: Placed): string =>
  `${place.index} ${place.windowName ?? programOf(entry.info)}`;

/** What a window is called without a name of its own: after the program in its active pane. */
const programOf = ({ activity, program }: SessionInfo): string =>
  activity?.evidence.foreground?.name ?? program.slice(program.lastIndexOf('/') + 1);

/** Returns the key of what is seen in a pane: of a session of tmux, its active pane; null if it is not known. */
export function shownKeyOf({ entries }: OverviewModel, pane: Pane): string | null {
  const { target } = pane;
  if (target === null) return null;
  if (pane.session.tmux === undefined) return keyOf(target.link, target.id);
  const shown = panesOf(entries, pane).find(({ place }) => place.isCurrent && place.isActive);
  return shown?.entry.key ?? null;
}

/** Returns what the sessions do that are seen in a pane. */
export function infosOf({ entries }: OverviewModel, pane: Pane): readonly SessionInfo[] {
  if (pane.session.tmux !== undefined) {
    const shown = new Set(panesOf(entries, pane).map(({ entry }) => sessionKey(entry)));
    const own = [...entries.values()].filter((each) => shown.has(sessionKey(each)));
    return own.map(({ info }) => info);
  }
  const entry =
    pane.target === null ? undefined : entries.get(keyOf(pane.target.link, pane.target.id));
  return entry === undefined ? [] : [entry.info];
}

/** The panes of the session of tmux that a pane shows. */
const panesOf = (entries: OverviewModel['entries'], { session, target }: Pane): Placed[] =>
  placed(entries.values()).filter(
    ({ entry, place }) =>
      entry.link === target?.link &&
      place.sessionName === session.name &&
      place.server === session.tmux,
  );

/** Returns the session of tmux of a name, for a pane that does not know where it is; null if there is none. */
export function tmuxNamed(
  { entries }: OverviewModel,
  session: Pane['session'],
): Pane['session'] | null {
  const all = placed(entries.values()).filter(({ entry }) => entry.info.state === 'running');
  const named = all.find(({ place }) => place.sessionName === session.name);
  if (named === undefined) return null;
  return {
    coordinator: named.entry.coordinatorName,
    name: session.name,
    tmux: named.place.server,
  };
}

/** Returns the names of all sessions of tmux. */
export const tmuxNames = ({ entries }: OverviewModel): string[] => [
  ...new Set(placed(entries.values()).map(({ place }) => place.sessionName)),
];
