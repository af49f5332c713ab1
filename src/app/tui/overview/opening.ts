import { defined } from '#base';
import { tmuxPlaceOf } from '#model';
import type { AttachEnd } from '../attach/scene.ts';
import {
  arranged,
  fitted,
  focused,
  focusedPane,
  noPanes,
  type Pane,
  type PaneContent,
  type Panes,
  paneIds,
  reopened,
  showTmux,
  without,
  withPane,
  withPaneChanged,
} from '../panes/panes.ts';
import {
  allTabs,
  inTabOf,
  maxTabs,
  paneIn,
  type Tabs,
  tabShown,
  tabsSettled,
  withTab,
} from '../panes/tabs.ts';
import { panesLayoutOf } from './layout.ts';
import {
  type Entry,
  keyOf,
  type OpenPlace,
  type OverviewModel,
  type TmuxHead,
  tabsIn,
  withTabs,
} from './model.ts';
import { noticed, type OverviewEvent, type Step, step } from './step.ts';
import { infosOf, shownKeyOf, tmuxId, tmuxNamed, tmuxSessions } from './tmux-sessions.ts';

/** Whether the overview is shown in this session, which would show itself. */
export const isOwn = ({ entries, ownId }: OverviewModel, key: string): boolean =>
  ownId !== undefined && entries.get(key)?.info.id === ownId;

/** Whether the overview is shown in the session of a pane, or in a pane of that session of tmux. */
export const showsItself = (model: OverviewModel, pane: Pane): boolean =>
  model.ownId !== undefined && infosOf(model, pane).some(({ id }) => id === model.ownId);

/** Returns the key of the session of a pane; null if it is not known. */
export const keyOfPane = ({ target }: Pane): string | null =>
  target === null ? null : keyOf(target.link, target.id);

interface Opening {
  readonly as?: 'auto' | 'take';
  /** The line to show first, instead of the screen. */
  readonly line?: number;
  /** Default: in the pane with the focus, or in the one that shows the session. */
  readonly place?: OpenPlace;
}

/** Attaches to a session: in a pane; where there are no panes, the overview ends with it. */
export function opened(model: OverviewModel, key: string, opening: Opening = {}): Step {
  const { as = 'auto', line, place = 'here' } = opening;
  const entry = model.entries.get(key);
  const { panes } = model;
  if (isOwn(model, key))
    return step(noticed(model, 'this is the session you are in', { isError: true }));
  if (panes === null) return step(model, { type: 'attach', key, as, ...defined({ line }) });
  if (entry === undefined) return step(model);
  const chosen = { ...model, selected: key, selectedAtMs: 0, awaited: null };
  const isPlain = as === 'auto' && line === undefined && place === 'here';
  const goesThere = isPlain ? shownAt(chosen, key) : null;
  if (goesThere !== null) return goesThere;
  const ofTmux = tmuxSessions(entriesOf(model)).has(key) ? tmuxPlaceOf(entry.info) : null;
  if (
    ofTmux !== null &&
    as === 'auto' &&
    line === undefined &&
    !['row', 'column'].includes(place)
  ) {
    const { link, coordinatorName } = entry;
    const commands = `switch-client -t '%${ofTmux.pane}'`;
    return openedTmux(chosen, { link, coordinatorName, place: ofTmux }, commands);
  }
  return openedPane(chosen, panes, { ...contentOf(entry), as, ...defined({ line }) }, place);
}

/** Goes to the pane that shows a session, in the tab that is shown or in another one; null if none does. */
function shownAt(model: OverviewModel, key: string): Step | null {
  const tabs = tabsIn(model);
  if (tabs === null) return null;
  const isIt = (pane: Pane) => keyOfPane(pane) === key;
  const own = [...tabs.shown.byId.values()].find(isIt);
  if (own !== undefined) return inPanes(model, focused(tabs.shown, own.id));
  const place = paneIn(tabs, isIt);
  if (place === null) return null;
  const next = tabShown(tabs, place.tab);
  return inPanes({ ...model, ...withTabs(next) }, focused(next.shown, place.pane));
}

const entriesOf = ({ entries }: OverviewModel) => entries.values();

/**
 * Shows a session of tmux in a tab of its own.
 *
 * @param commands for its server to run there; null for none
 */
export function openedTmux(
  model: OverviewModel,
  {
    link,
    coordinatorName,
    place: { server, sessionName },
  }: Pick<TmuxHead, 'link' | 'coordinatorName' | 'place'>,
  commands: string | null,
): Step {
  const { panes } = model;
  if (panes === null) return step(model);
  const target = { link, id: tmuxId(server, sessionName) };
  const session = { coordinator: coordinatorName, name: sessionName, tmux: server };
  const isItself = [...entriesOf(model)].some(({ info }) => {
    const own = info.id === model.ownId ? tmuxPlaceOf(info) : null;
    return own?.server === server && own.sessionName === sessionName;
  });
  if (isItself) {
    const text = 'vtr runs in this session of tmux: it cannot show itself';
    return step(noticed(model, text, { isError: true }));
  }
  const { state, effects } =
    shownAt(model, keyOf(target.link, target.id)) ??
    openedPane(model, panes, { session, target }, 'tab');
  const pane = state.panes === null ? undefined : focusedPane(state.panes);
  if (commands === null || pane?.target?.id !== target.id) return { state, effects };
  const event = { type: 'run', commands } as const;
  return { state, effects: [...effects, { type: 'toTmux', pane: pane.id, event }] };
}

/** Shows sessions in panes, as many as have room: in place of those that were shown, or in a new tab. */
export function openedAll(
  model: OverviewModel,
  keys: readonly string[],
  place: 'here' | 'tab' = 'here',
): Step {
  const { panes: before, entries } = model;
  const tabs = tabsIn(model);
  if (before === null || tabs === null) return step(model);
  const { space } = panesLayoutOf(model);
  const title = place === 'here' ? before.title : null;
  let panes: Panes = { ...noPanes(title), nextId: before.nextId };
  for (const key of keys.filter((each) => !isOwn(model, each))) {
    const entry = entries.get(key);
    if (entry === undefined) continue;
    const content = contentOf(entry);
    const next =
      withPane(panes, content, 'column', space) ?? withPane(panes, content, 'row', space);
    if (next === null) break;
    panes = arranged(next, space, 'tiled');
  }
  const [first] = paneIds(panes);
  if (first === undefined) return step(model);
  const all = focused(panes, first);
  if (place === 'here') return inPanes(model, all);
  return isFull(model) ? noTab(model) : inPanes({ ...model, ...withTabs(withTab(tabs, all)) }, all);
}

const isFull = (model: OverviewModel): boolean => {
  const tabs = tabsIn(model);
  return tabs !== null && allTabs(tabs).length >= maxTabs;
};

const noTab = (model: OverviewModel): Step =>
  step(noticed(model, `a window has at most ${maxTabs} tabs`, { isError: true }));

const contentOf = ({ link, coordinatorName: coordinator, info: { name, id } }: Entry) => ({
  session: { coordinator, name },
  target: { link, id },
});

/** Returns the model with panes in its window, one of which has the keys. */
const inPanes = (model: OverviewModel, panes: Panes): Step =>
  step({ ...model, panes, shows: 'panes', hasBarKeys: false, isPeeking: false });

function openedPane(
  model: OverviewModel,
  panes: Panes,
  content: PaneContent,
  place: OpenPlace,
): Step {
  const tabs = tabsIn(model);
  // A session of tmux has a tab for itself.
  if (place !== 'tab' && showTmux(panes)) return openedPane(model, panes, content, 'tab');
  if (place === 'tab' && tabs !== null && panes.byId.size > 0) {
    if (isFull(model)) return noTab(model);
    const empty = { ...noPanes(), nextId: panes.nextId };
    const tab = withPane(empty, content, 'here', panesLayoutOf(model).space);
    return tab === null
      ? noRoom(model)
      : inPanes({ ...model, ...withTabs(withTab(tabs, tab)) }, tab);
  }
  const where = place === 'tab' ? 'here' : place;
  const next = withPane(panes, content, where, panesLayoutOf(model).space);
  return next === null ? noRoom(model) : inPanes(model, next);
}

/**
 * Moves a pane of the tab that is shown to another tab, which is shown then.
 *
 * @param to the index of that tab; null: a new one
 */
export function movedToTab(model: OverviewModel, id: number, to: number | null): Step {
  const tabs = tabsIn(model);
  const pane = tabs?.shown.byId.get(id);
  if (tabs === null || pane === undefined || to === tabs.before.length) return step(model);
  if (to !== null && (showTmux(tabs.shown) || showTmux(allTabs(tabs)[to] ?? noPanes())))
    return step(noticed(model, 'a session of tmux has a tab for itself', { isError: true }));
  const { space } = panesLayoutOf(model);
  if (to === null) {
    if (tabs.shown.byId.size === 1) return step(noticed(model, 'the tab has no other pane'));
    if (isFull(model)) return noTab(model);
    const tab = withPane({ ...noPanes(), nextId: tabs.shown.nextId }, pane, 'here', space);
    if (tab === null) return noRoom(model);
    const left = { ...tabs, shown: without(tabs.shown, id) };
    return inPanes({ ...model, ...withTabs(withTab(left, tab)) }, tab);
  }
  const there = allTabs(tabs)[to];
  if (there === undefined) return step(model);
  const fits = fitted(there, space);
  const next = withPane(fits, pane, 'row', space) ?? withPane(fits, pane, 'column', space);
  if (next === null) return noRoom(model);
  const shown = tabShown({ ...tabs, shown: without(tabs.shown, id) }, to);
  return inPanes({ ...model, ...withTabs(shown) }, next);
}

export const noRoom = (model: OverviewModel): Step =>
  step(noticed(model, 'no room for another pane', { isError: true }));

/** A session was started for a pane. */
export function openedNew(
  model: OverviewModel,
  { link, info, opens }: OverviewEvent & { readonly type: 'spawned' },
): Step {
  const { panes } = model;
  if (panes === null || opens === undefined) return step(model);
  const coordinator = model.links[link]?.name ?? '';
  const content = { session: { coordinator, name: info.name }, target: { link, id: info.id } };
  return openedPane(model, panes, content, opens);
}

/** The person has left the session of a pane, or it has gone. */
export function paneEnded(model: OverviewModel, id: number, end: AttachEnd): Step {
  const tabs = tabsIn(model);
  if (tabs === null) return step(model);
  const changed = (change: (panes: Panes) => Panes): OverviewModel => ({
    ...model,
    ...withTabs(inTabOf(tabs, id, change)),
  });
  if (end.type === 'lost') {
    return step(changed((panes) => withPaneChanged(panes, id, { problem: end.reason })));
  }
  // The person wants to see all sessions; the pane stays.
  if (end.type === 'overview')
    return step({ ...changed((panes) => reopened(panes, id)), shows: 'list' });
  const closed = changed((panes) => without(panes, id));
  return step(end.type === 'removed' ? noticed(closed, `removed ${end.session}`) : closed);
}

/** Completes a change of the model: panes know their sessions, and have the space that there is. */
export function withPanesSettled(before: OverviewModel): OverviewModel {
  const all = tabsIn(before);
  if (all === null) return before;
  const tabs = tabsSettled({
    before: sameOr(all.before, (panes) => withTargets(before, panes)),
    shown: withTargets(before, all.shown),
    after: sameOr(all.after, (panes) => withTargets(before, panes)),
  });
  const model = isSameTabs(all, tabs) ? before : { ...before, ...withTabs(tabs) };
  const panes = fitted(tabs.shown, panesLayoutOf(model).space);
  const shows = panes.byId.size === 0 ? 'list' : model.shows;
  // The side bar begins where the person is.
  const focus = focusedPane(panes);
  const isInPane = shows === 'panes' && !model.hasBarKeys && model.mode.type === 'list';
  const key = focus !== undefined && isInPane ? shownKeyOf(model, focus) : null;
  const selected = key !== null && model.entries.has(key) ? key : model.selected;
  const isSame = panes === model.panes && shows === model.shows && selected === model.selected;
  return isSame ? model : { ...model, panes, shows, selected };
}

const isSameTabs = (one: Tabs, other: Tabs): boolean =>
  one.shown === other.shown && one.before === other.before && one.after === other.after;

/** Returns the list itself if nothing in it changes. */
function sameOr<T>(all: readonly T[], change: (each: T) => T): readonly T[] {
  const changed = all.map(change);
  return changed.every((each, at) => each === all[at]) ? all : changed;
}

/** Finds the sessions of panes that do not know them, and the new names of those that were renamed. */
function withTargets(model: OverviewModel, before: Panes): Panes {
  const { entries, links } = model;
  let panes = before;
  for (const pane of before.byId.values()) {
    if (pane.session.tmux !== undefined) {
      if (pane.target !== null) continue;
      const session = pane.session.tmux === '' ? tmuxNamed(model, pane.session) : pane.session;
      const link = links.findIndex(({ name }) => name === session?.coordinator);
      if (session?.tmux === undefined || link === -1) continue;
      const target = { link, id: tmuxId(session.tmux, session.name) };
      panes = withPaneChanged(panes, pane.id, { session, target });
      continue;
    }
    const key = keyOfPane(pane);
    if (key === null) {
      const entry = [...entries.values()].find(
        ({ coordinatorName, info: { name } }) =>
          coordinatorName === pane.session.coordinator && name === pane.session.name,
      );
      const target = entry === undefined ? null : { link: entry.link, id: entry.info.id };
      if (target !== null) panes = withPaneChanged(panes, pane.id, { target });
    } else {
      const name = entries.get(key)?.info.name ?? pane.session.name;
      if (name !== pane.session.name)
        panes = withPaneChanged(panes, pane.id, { session: { ...pane.session, name } });
    }
  }
  return panes;
}
