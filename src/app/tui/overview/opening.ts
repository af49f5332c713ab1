import { defined } from '#base';
import type { AttachEnd } from '../attach/scene.ts';
import {
  arranged,
  fitted,
  focused,
  focusedPane,
  noPanes,
  type Pane,
  type PaneContent,
  type PanePlace,
  type Panes,
  paneIds,
  reopened,
  without,
  withPane,
  withPaneChanged,
} from '../panes/panes.ts';
import { panesLayoutOf } from './layout.ts';
import { type Entry, keyOf, type OverviewModel } from './model.ts';
import { noticed, type OverviewEvent, type Step, step } from './step.ts';

/** Whether the overview is shown in this session, which would show itself. */
export const isOwn = ({ entries, ownId }: OverviewModel, key: string): boolean =>
  ownId !== undefined && entries.get(key)?.info.id === ownId;

/** Returns the key of the session of a pane; null if it is not known. */
export const keyOfPane = ({ target }: Pane): string | null =>
  target === null ? null : keyOf(target.link, target.id);

interface Opening {
  readonly as?: 'auto' | 'take';
  /** The line to show first, instead of the screen. */
  readonly line?: number;
  /** Default: in the pane with the focus, or in the one that shows the session. */
  readonly place?: PanePlace;
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
  const shown = [...panes.byId.values()].find((pane) => keyOfPane(pane) === key);
  const isPlain = as === 'auto' && line === undefined && place === 'here';
  if (shown !== undefined && isPlain) return inPanes(chosen, focused(panes, shown.id));
  return openedPane(chosen, panes, { ...contentOf(entry), as, ...defined({ line }) }, place);
}

/** Shows sessions in panes in place of those that were shown, as many as have room. */
export function openedAll(model: OverviewModel, keys: readonly string[]): Step {
  const { panes: before, entries } = model;
  if (before === null) return step(model);
  const { space } = panesLayoutOf(model);
  let panes: Panes = { ...noPanes(before.name), nextId: before.nextId };
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
  return first === undefined ? step(model) : inPanes(model, focused(panes, first));
}

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
  place: PanePlace,
): Step {
  const next = withPane(panes, content, place, panesLayoutOf(model).space);
  return next === null ? noRoom(model) : inPanes(model, next);
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
  const { panes } = model;
  if (panes === null) return step(model);
  if (end.type === 'lost') {
    return step({ ...model, panes: withPaneChanged(panes, id, { problem: end.reason }) });
  }
  // The person wants to see all sessions; the pane stays.
  if (end.type === 'overview') return step({ ...model, panes: reopened(panes, id), shows: 'list' });
  const closed = { ...model, panes: without(panes, id) };
  return step(end.type === 'removed' ? noticed(closed, `removed ${end.session}`) : closed);
}

/** Completes a change of the model: panes know their sessions, and have the space that there is. */
export function withPanesSettled(model: OverviewModel): OverviewModel {
  const { panes: before, entries } = model;
  if (before === null) return model;
  let panes = before;
  for (const pane of before.byId.values()) {
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
  panes = fitted(panes, panesLayoutOf(model).space);
  const shows = panes.byId.size === 0 ? 'list' : model.shows;
  // The side bar begins where the person is.
  const focus = focusedPane(panes);
  const isInPane = shows === 'panes' && !model.hasBarKeys && model.mode.type === 'list';
  const key = focus !== undefined && isInPane ? keyOfPane(focus) : null;
  const selected = key !== null && entries.has(key) ? key : model.selected;
  const isSame = panes === before && shows === model.shows && selected === model.selected;
  return isSame ? model : { ...model, panes, shows, selected };
}
