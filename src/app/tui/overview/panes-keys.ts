import { keyText, silentKeys } from '#keys';
import { directoryOf } from '#model';
import type { TtyEvent, TtyKey } from '#tty';
import { type Command, type KeyMatch, numberOf } from '../keys.ts';
import { emptyLine } from '../line-editor.ts';
import {
  arranged,
  focused,
  focusedPane,
  following,
  hasRoom,
  neighbour,
  nextArrangement,
  type Pane,
  type PanePlace,
  type Panes,
  paneIds,
  reopened,
  resized,
  type Side,
  showTmux,
  swapped,
  typedInto,
  withAllMarks,
  withMark,
  without,
  withPaneChanged,
  zoomed,
} from '../panes/panes.ts';
import {
  allTabs,
  type Tabs,
  tabBefore,
  tabBeside,
  tabClosed,
  tabMoved,
  tabShown,
} from '../panes/tabs.ts';
import { panesLayoutOf, showsPanes } from './layout.ts';
import { type OverviewModel, tabsIn, withTabs } from './model.ts';
import { keyOfPane, movedToTab, noRoom } from './opening.ts';
import { inMode, noticed, type Step, step } from './step.ts';
import { isOfTabs, tmuxCommands, tmuxKey, windowMatch } from './tmux-keys.ts';

/** Whether a pane shows a session, which gets what is typed. */
const isOpen = (pane: Pane | undefined): boolean =>
  pane !== undefined && pane.target !== null && pane.problem === '';

/**
 * Passes on what is typed for the program of a pane: the model stays the same, and no picture is needed.
 *
 * @returns null if the event is for the overview
 */
export function passedOn(model: OverviewModel, event: TtyEvent): Step | null {
  const { panes, mode, menu, leading, notice, hasBarKeys, hasFocus, keys } = model;
  if (panes === null || !showsPanes(model) || mode.type !== 'list' || hasBarKeys) return null;
  if (menu !== null || leading !== null || notice !== null || !hasFocus) return null;
  const isInput = event.type === 'key' || event.type === 'paste' || event.type === 'bytes';
  if (!isInput || !isOpen(focusedPane(panes))) return null;
  if (event.type === 'key' && (keys.isLeader(event.press) || isDirect(model, event))) return null;
  return { state: model, effects: [{ type: 'toPanes', panes: typedInto(panes), event }] };
}

/** Whether a key does something without the leader. */
const isDirect = ({ keys }: OverviewModel, { press }: TtyKey): boolean =>
  keys.direct('panes', press) !== null || keys.direct('attach', press) !== null;

/** An event while the pane with the focus has the keys. */
export function paneEvent(model: OverviewModel, panes: Panes, event: TtyEvent): Step {
  const { leading, keys } = model;
  if (event.type !== 'key') {
    const isInput = event.type === 'paste' || event.type === 'bytes';
    return isInput ? typed({ ...model, leading: null }, panes, event) : step(model);
  }
  const isSilent = event.action === 'release' || silentKeys.has(event.press.key);
  if (isSilent)
    return leading === null && !isDirect(model, event) ? typed(model, panes, event) : step(model);
  if (leading?.type === 'resize') return resizing(model, panes, event);
  if (leading !== null && showTmux(panes)) return afterLeaderInTmux(model, panes, event);
  if (leading !== null) return afterLeader(model, panes, leading, event);
  if (keys.isLeader(event.press))
    return step({ ...model, leading: { type: 'leader', key: event, sequence: [] } });
  return isDirect(model, event) ? directKey(model, panes, event) : typed(model, panes, event);
}

function typed(model: OverviewModel, panes: Panes, event: TtyEvent): Step {
  const pane = focusedPane(panes);
  if (pane === undefined) return step({ ...model, shows: 'list' });
  if (isOpen(pane)) return step(model, { type: 'toPanes', panes: typedInto(panes), event });
  const isEnter =
    event.type === 'key' && event.action === 'press' && keyText(event.press) === 'enter';
  return isEnter ? startedAgain(model, panes, pane) : step(model);
}

/** Shows a session that was lost again, or starts a shell in place of one that does not exist. */
function startedAgain(model: OverviewModel, panes: Panes, pane: Pane): Step {
  if (pane.target !== null) {
    const again = reopened(panes, pane.id);
    const makes = pane.session.tmux !== undefined;
    const next = makes ? withPaneChanged(again, again.focus, { makes }) : again;
    return step({ ...model, panes: next });
  }
  const { coordinator, name } = pane.session;
  const link = model.links.findIndex((each) => each.name === coordinator);
  if (pane.session.tmux !== undefined) return step(model);
  if (link === -1) return step(noticed(model, `${coordinator} is not known`, { isError: true }));
  return step(model, { type: 'spawn', link, cwd: null, name, opens: 'here' });
}

/** Arrow keys and the letters of vi move the border of the pane; any other key ends it. */
function resizing(model: OverviewModel, panes: Panes, { press }: TtyKey): Step {
  const by = steps[keyText(press)];
  if (by === undefined) return step({ ...model, leading: null });
  return step({ ...model, panes: resized(panes, by.direction, by.cells) });
}

const steps: Readonly<Record<string, { direction: 'row' | 'column'; cells: number }>> = {
  left: { direction: 'row', cells: -2 },
  h: { direction: 'row', cells: -2 },
  right: { direction: 'row', cells: 2 },
  l: { direction: 'row', cells: 2 },
  up: { direction: 'column', cells: -1 },
  k: { direction: 'column', cells: -1 },
  down: { direction: 'column', cells: 1 },
  j: { direction: 'column', cells: 1 },
};

/** A key that is no command of the panes is one for the session of the pane. */
function afterLeader(
  before: OverviewModel,
  panes: Panes,
  { key: leader, sequence }: Extract<OverviewModel['leading'], { type: 'leader' }>,
  key: TtyKey,
): Step {
  const { keys } = before;
  const typedKeys = [...sequence, key];
  const presses = typedKeys.map(({ press }) => press);
  const match = keys.afterLeader('panes', presses);
  const isMore = match === null && keys.afterLeader('attach', presses) === 'more';
  if (match === 'more' || isMore) {
    return step({ ...before, leading: { type: 'leader', key: leader, sequence: typedKeys } });
  }
  const model: OverviewModel = { ...before, leading: null };
  if (match !== null) return commands[match.command](model, panes, match);
  if (sequence.length > 0 && keyText(key.press) === 'escape') return step(model);
  return toSession(model, panes, [leader, ...typedKeys]);
}

/** Passes keys on to the session of the pane with the focus. */
const toSession = (model: OverviewModel, panes: Panes, keys: readonly TtyKey[]): Step =>
  isOpen(focusedPane(panes))
    ? step(
        model,
        ...keys.map((event) => ({ type: 'toPanes', panes: [panes.focus], event }) as const),
      )
    : step(model);

/** In a session of tmux, a key that is not for the window of `vtr ui` is one after the prefix. */
function afterLeaderInTmux(before: OverviewModel, panes: Panes, key: TtyKey): Step {
  const model: OverviewModel = { ...before, leading: null };
  const match = windowMatch(model, key);
  if (match !== null) return commands[match.command](model, panes, match);
  if (!isOpen(focusedPane(panes))) return step(model);
  return step(model, { type: 'toTmux', pane: panes.focus, event: tmuxKey(model, key) });
}

/** A key without the leader. */
function directKey(model: OverviewModel, panes: Panes, event: TtyKey): Step {
  const match = model.keys.direct('panes', event.press);
  // One for the session of a pane is not for all that are marked.
  if (match === null) return toSession(model, panes, [event]);
  const tmux = showTmux(panes) ? tmuxCommands[match.command] : undefined;
  if (tmux === undefined || isOfTabs(match.command))
    return commands[match.command](model, panes, match);
  return step(model, { type: 'toTmux', pane: panes.focus, event: { type: 'run', commands: tmux } });
}

/** Carries out a command for the pane with the focus. @param key the key that means it, if it was one */
export const paneCommand = (
  model: OverviewModel,
  panes: Panes,
  command: Command<'panes'>,
  key: PressedKey = { name: '', at: 0 },
): Step => commands[command](model, panes, key);

type PressedKey = Pick<KeyMatch<'panes'>, 'name' | 'at'>;

type Run = (model: OverviewModel, panes: Panes, key: PressedKey) => Step;

const withPanes = (model: OverviewModel, panes: Panes): Step => step({ ...model, panes });

/** A shell in the directory of the session in the pane. */
const split =
  (place: Exclude<PanePlace, 'here'> | 'tab'): Run =>
  (model, panes) => {
    if (place !== 'tab' && !hasRoom(panes, place)) return noRoom(model);
    const pane = focusedPane(panes);
    const entry = model.entries.get((pane && keyOfPane(pane)) ?? '');
    const cwd = entry === undefined ? null : directoryOf(entry.info);
    const link = pane?.target?.link ?? 0;
    return step(model, { type: 'spawn', link, cwd, opens: place });
  };

/** Changes the tabs of the window. */
const tabs =
  (change: (tabs: Tabs) => Tabs): Run =>
  (model) => {
    const before = tabsIn(model);
    return step(before === null ? model : { ...model, ...withTabs(change(before)) });
  };

const toSide =
  (side: Side): Run =>
  (model, panes) =>
    withPanes(model, focused(panes, neighbour(panes, panes.focus, side) ?? panes.focus));

const swap =
  (other: (panes: Panes) => number | null): Run =>
  (model, panes) =>
    withPanes(model, swapped(panes, panes.focus, other(panes) ?? panes.focus));

const swapTo = (side: Side): Run => swap((panes) => neighbour(panes, panes.focus, side));

const barBy =
  (cols: number): Run =>
  (model) =>
    step({ ...model, bar: { cols: Math.max(1, model.bar.cols + cols), isShown: true } });

const marking =
  (change: (panes: Panes) => Panes): Run =>
  (model, before) => {
    const panes = change(before);
    const { size } = panes.marked;
    const text =
      size === 0 ? 'no pane is marked' : `what is typed in a marked pane goes to ${size} of them`;
    return step(noticed({ ...model, panes }, text));
  };

const renaming: Run = (model, panes) => {
  const pane = focusedPane(panes);
  const key = pane === undefined ? null : keyOfPane(pane);
  if (pane === undefined || key === null) return step(model);
  return inMode(model, { type: 'name', key, line: lineOf(pane.session.name) });
};

const lineOf = (text: string) => ({ text, at: text.length });

const killing: Run = (model, panes) => {
  const pane = focusedPane(panes);
  const key = pane === undefined ? null : keyOfPane(pane);
  return key === null || model.entries.get(key)?.info.state !== 'running'
    ? step(noticed(model, 'no program runs there'))
    : inMode(model, { type: 'confirm', action: 'kill', keys: [key] });
};

const commands: Readonly<Record<Command<'panes'>, Run>> = {
  splitRight: split('row'),
  splitDown: split('column'),
  left: toSide('left'),
  down: toSide('down'),
  up: toSide('up'),
  right: toSide('right'),
  pane: (model, panes, key) => {
    const number = numberOf(key, 1);
    const id = paneIds(panes)[number - 1];
    return id === undefined
      ? step(noticed(model, `there is no pane ${number}`))
      : withPanes(model, focused(panes, id));
  },
  next: (model, panes) => withPanes(model, focused(panes, following(panes, 1))),
  previous: (model, panes) => withPanes(model, focused(panes, following(panes, -1))),
  last: (model, panes) => withPanes(model, focused(panes, panes.earlier[0] ?? panes.focus)),
  swapLeft: swapTo('left'),
  swapDown: swapTo('down'),
  swapUp: swapTo('up'),
  swapRight: swapTo('right'),
  swapNext: swap((panes) => following(panes, 1)),
  swapPrevious: swap((panes) => following(panes, -1)),
  newTab: split('tab'),
  nextTab: tabs((all) => tabShown(all, tabBeside(all, 1))),
  previousTab: tabs((all) => tabShown(all, tabBeside(all, -1))),
  lastTab: tabs((all) => tabShown(all, tabBefore(all))),
  tab: (model, panes, key) => {
    const all = tabsIn(model);
    const number = numberOf(key, 1);
    const at = number - 1;
    if (all === null || allTabs(all)[at] === undefined)
      return step(noticed(model, `there is no tab ${number}`));
    return tabs((each) => tabShown(each, at))(model, panes, key);
  },
  renameTab: (model, { title }) =>
    inMode(model, { type: 'name', key: 'tab', line: title === null ? emptyLine : lineOf(title) }),
  moveTabLeft: tabs((all) => tabMoved(all, all.before.length - 1)),
  moveTabRight: tabs((all) => tabMoved(all, all.before.length + 1)),
  toTab: (model, panes) => movedToTab(model, panes.focus, null),
  closeTab: tabs(tabClosed),
  zoom: (model, panes) => withPanes(model, zoomed(panes)),
  resize: (model) => step({ ...model, leading: { type: 'resize' } }),
  arrange: (model, panes) => {
    const name = nextArrangement(panes);
    const next = arranged(panes, panesLayoutOf(model).space, name);
    return step(noticed({ ...model, panes: next }, name));
  },
  close: (model, panes) => withPanes(model, without(panes, panes.focus)),
  kill: killing,
  mark: marking((panes) => withMark(panes, panes.focus)),
  markAll: marking(withAllMarks),
  rename: renaming,
  bar: (model) => step({ ...model, bar: { ...model.bar, isShown: !model.bar.isShown } }),
  narrower: barBy(-2),
  wider: barBy(2),
  barKeys: (model) => {
    const hasBar = panesLayoutOf(model).bar !== null;
    return step(hasBar ? { ...model, hasBarKeys: true } : { ...model, shows: 'list' });
  },
  list: (model) => step({ ...model, shows: 'list', hasBarKeys: false }),
  name: (model) =>
    inMode(model, {
      type: 'name',
      key: 'layout',
      line: model.layoutName === null ? emptyLine : lineOf(model.layoutName),
    }),
  leave: (model) => step(model, { type: 'leave' }),
  help: (model) => inMode(model, { type: 'help', top: 0 }),
};
