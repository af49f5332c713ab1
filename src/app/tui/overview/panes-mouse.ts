import type { MouseInput } from '#model';
import type { TtyEvent } from '#tty';
import type { Command } from '../keys.ts';
import {
  type Border,
  borderAt,
  focused,
  type Panes,
  type SeenPane,
  seenPanes,
  showTmux,
  swapped,
  withBorderAt,
  zoomed,
} from '../panes/panes.ts';
import { type Tabs, tabBeside, tabMoved, tabShown } from '../panes/tabs.ts';
import { layoutOf, panesLayoutOf } from './layout.ts';
import {
  type Menu,
  type MenuAct,
  type OverviewModel,
  type TmuxHead,
  tabsIn,
  withTabs,
} from './model.ts';
import { movedToTab, opened, openedAll, openedTmux } from './opening.ts';
import { paneCommand } from './panes-keys.ts';
import { keyAt, keysOfGroup } from './rows.ts';
import { inMode, type Step, step } from './step.ts';
import { tabSpots } from './tab-row.ts';
import { tmuxCommands } from './tmux-keys.ts';

/** What is under the mouse. */
type Hit =
  /** @param index of the row in the list; -1 for none */
  | { readonly type: 'bar'; readonly index: number }
  | { readonly type: 'edge' }
  /** @param at the index of the tab; null: the place for a new one */
  | { readonly type: 'tab'; readonly at: number | null }
  | { readonly type: 'border'; readonly border: Border }
  | { readonly type: 'title' | 'pane'; readonly id: number }
  | { readonly type: 'nothing' };

/** Two clicks within this time are a double click, in ms. */
const doubleClickMs = 400;

/** The columns of a pane's title that are its name: the rest of the row is the border above it. */
const titleCols = (name: string): number => name.length + 5;

function hitAt(model: OverviewModel, panes: Panes, { row, col }: MouseInput): Hit {
  const { bar, tabs, space } = panesLayoutOf(model);
  if (bar !== null && col < bar.cols) {
    const { list } = layoutOf(model);
    const isInList = row >= list.row && row < list.row + list.rows;
    return { type: 'bar', index: isInList ? model.top + row - list.row : -1 };
  }
  if (bar !== null && col === bar.cols) return { type: 'edge' };
  if (tabs !== null && row === tabs.row) {
    const x = col - tabs.col;
    const spot = tabSpots(model, tabs.cols).find(
      (each) => x >= each.col && x < each.col + each.cols,
    );
    return spot === undefined ? { type: 'nothing' } : { type: 'tab', at: spot.at };
  }
  const [x, y] = [col - space.col, row - space.row];
  const visible = seenPanes(panes, space);
  const isIn = (pane: SeenPane) => x >= pane.x && x < pane.x + pane.cols;
  const inside = visible.find((pane) => isIn(pane) && y >= pane.y && y < pane.y + pane.rows);
  if (inside !== undefined) return { type: 'pane', id: inside.id };
  const below = visible.find((pane) => isIn(pane) && y === pane.y - 1);
  const name = panes.byId.get(below?.id ?? 0)?.session.name ?? '';
  if (below !== undefined && (y < 0 || x < below.x + titleCols(name)))
    return { type: 'title', id: below.id };
  const border = borderAt(panes, x, y);
  return border === null ? { type: 'nothing' } : { type: 'border', border };
}

/** The mouse in a window with panes. Pure. */
export function panesMouse(model: OverviewModel, panes: Panes, mouse: MouseInput): Step {
  const { menu, drag, mode } = model;
  if (menu !== null) return menuMouse(model, menu, mouse);
  if (mode.type !== 'list') return step(model);
  const { action } = mouse;
  const isHeld = action === 'move' && (mouse.button ?? 'none') !== 'none';
  if (drag !== null && (isHeld || action === 'release')) return dragged(model, panes, mouse);
  if (action === 'press') return pressed({ ...model, notice: null }, panes, mouse);
  if (action === 'release') return step(model);
  const hit = hitAt(model, panes, mouse);
  if (hit.type === 'pane') return toPane(model, panes, hit.id, mouse);
  if (hit.type === 'tab' && action !== 'move') {
    const by = action === 'scrollUp' ? -1 : 1;
    return inTabs(model, (tabs) => tabShown(tabs, tabBeside(tabs, by)));
  }
  if (hit.type !== 'bar' || action === 'move') return step(model);
  const rows = action === 'scrollUp' ? -wheelRows : wheelRows;
  return step({ ...model, isScrolled: true, top: Math.max(0, model.top + rows) });
}

function inTabs(model: OverviewModel, change: (tabs: Tabs) => Tabs): Step {
  const tabs = tabsIn(model);
  return step(tabs === null ? model : { ...model, ...withTabs(change(tabs)) });
}

/** Rows of the side bar by which one step of the wheel scrolls. */
const wheelRows = 3;

/** Gives an event to the session of a pane, with its place there. */
function toPane(model: OverviewModel, panes: Panes, id: number, mouse: MouseInput): Step {
  const { space } = panesLayoutOf(model);
  const pane = seenPanes(panes, space).find((each) => each.id === id);
  if (pane === undefined) return step(model);
  const within = (at: number, size: number) => Math.max(0, Math.min(size - 1, at));
  const row = within(mouse.row - space.row - pane.y, pane.rows);
  const col = within(mouse.col - space.col - pane.x, pane.cols);
  const event: TtyEvent = { type: 'mouse', mouse: { ...mouse, row, col } };
  return step(model, { type: 'toPanes', panes: [id], event });
}

function pressed(model: OverviewModel, panes: Panes, mouse: MouseInput): Step {
  const hit = hitAt(model, panes, mouse);
  const { button = 'left' } = mouse;
  // With ctrl or alt, the right button is for the program.
  const isMenu = button === 'right' && !mouse.ctrl && !mouse.alt;
  // The menus in a session of tmux are those of its server.
  const isOfTmux = hit.type === 'pane' && showTmux(panes);
  if (isMenu && !isOfTmux) return withMenu(model, panes, hit, mouse);
  if (hit.type === 'pane') {
    const { ctrl: _ctrl, alt: _alt, ...plain } = mouse;
    const next = focused(panes, hit.id);
    const dragging: OverviewModel = {
      ...model,
      panes: next,
      hasBarKeys: false,
      drag: { type: 'pane', id: hit.id },
    };
    return toPane(dragging, next, hit.id, button === 'right' ? plain : mouse);
  }
  if (button !== 'left') return step(model);
  switch (hit.type) {
    case 'bar': {
      const key = keyAt(model.rows, hit.index);
      if (key !== null) return opened(model, key);
      const tmux = headAt(model, hit.index);
      return tmux === null ? step(model) : headOpened(model, tmux);
    }
    case 'edge':
      return step({ ...model, drag: { type: 'bar' } });
    case 'border':
      return step({ ...model, drag: hit });
    case 'title':
      return onTitle(model, panes, hit.id);
    case 'tab':
      return onTab(model, panes, hit.at);
    case 'nothing':
      return step(model);
  }
}

/** The session of tmux, or the window of it, whose head is in a row of the side bar; null for other rows. */
function headAt({ rows }: OverviewModel, index: number): TmuxHead | null {
  const row = rows[index];
  return row?.type === 'group' ? (row.tmux ?? null) : null;
}

const headOpened = (model: OverviewModel, tmux: TmuxHead): Step =>
  openedTmux(model, tmux, tmux.isWindow ? `switch-client -t '%${tmux.place.pane}'` : null);

/** A click gives the focus, a double click zooms, and dragging to another pane swaps them. */
function onTitle(model: OverviewModel, panes: Panes, id: number): Step {
  const { lastClick, nowMs } = model;
  const key = `pane ${id}`;
  const isSecond = lastClick?.key === key && nowMs - lastClick.atMs <= doubleClickMs;
  if (isSecond && showTmux(panes)) return inTmux({ ...model, lastClick: null }, id, 'zoom');
  const next = focused(panes, id);
  return step({
    ...model,
    panes: isSecond ? zoomed(next) : next,
    hasBarKeys: false,
    lastClick: isSecond ? null : { key, atMs: nowMs },
    drag: { type: 'title', id },
  });
}

/** A click shows the tab, a double click names it, and dragging moves it. */
function onTab(model: OverviewModel, panes: Panes, at: number | null): Step {
  if (at === null) return paneCommand(model, panes, 'newTab');
  const { lastClick, nowMs } = model;
  const key = `tab ${at}`;
  const isSecond = lastClick?.key === key && nowMs - lastClick.atMs <= doubleClickMs;
  const shown = inTabs(model, (tabs) => tabShown(tabs, at)).state;
  const next: OverviewModel = {
    ...shown,
    hasBarKeys: false,
    lastClick: isSecond ? null : { key, atMs: nowMs },
    drag: { type: isSecond ? 'nothing' : 'tab' },
  };
  return isSecond && next.panes !== null ? paneCommand(next, next.panes, 'renameTab') : step(next);
}

/** The mouse with a button that was pressed here: what it holds moves, until the button is released. */
function dragged(model: OverviewModel, panes: Panes, mouse: MouseInput): Step {
  const { drag } = model;
  const isEnd = mouse.action === 'release';
  const after: OverviewModel = isEnd ? { ...model, drag: null } : model;
  switch (drag?.type) {
    case 'pane':
      return toPane(after, panes, drag.id, mouse);
    case 'title': {
      const hit = hitAt(model, panes, mouse);
      if (isEnd && hit.type === 'tab') return movedToTab(after, drag.id, hit.at);
      const isOther = isEnd && (hit.type === 'pane' || hit.type === 'title') && hit.id !== drag.id;
      return step(isOther ? { ...after, panes: swapped(panes, drag.id, hit.id) } : after);
    }
    case 'border': {
      const { space } = panesLayoutOf(model);
      const isRow = drag.border.direction === 'row';
      const to = isRow ? mouse.col - space.col : mouse.row - space.row;
      const [next, border] = withBorderAt(panes, drag.border, to);
      return step({ ...after, panes: next, drag: isEnd ? null : { type: 'border', border } });
    }
    case 'tab': {
      const hit = hitAt(model, panes, mouse);
      const { at = null } = hit.type === 'tab' ? hit : {};
      return at === null ? step(after) : inTabs(after, (tabs) => tabMoved(tabs, at));
    }
    case 'bar':
      return step({ ...after, bar: { cols: Math.max(1, mouse.col), isShown: true } });
    default:
      return step(after);
  }
}

type Item = Menu['items'][number];

/** The items for a row of the side bar: a project or a session. */
function barItems(model: OverviewModel, index: number): Item[] {
  const { rows } = model;
  const key = keyAt(rows, index);
  if (key !== null) {
    return [
      { label: 'Open', act: { type: 'open', key, place: 'here' } },
      { label: 'Open on the right', act: { type: 'open', key, place: 'row' } },
      { label: 'Open below', act: { type: 'open', key, place: 'column' } },
      { label: 'Open in a new tab', act: { type: 'open', key, place: 'tab' } },
      { label: 'Rename', act: { type: 'session', key, action: 'rename' } },
      { label: 'End the program', act: { type: 'session', key, action: 'kill' } },
      { label: 'Remove', act: { type: 'session', key, action: 'remove' } },
    ];
  }
  const keys = keysOfGroup(rows, index);
  const tmux = headAt(model, index);
  return rows[index]?.type === 'group'
    ? [
        ...(tmux === null ? [] : [{ label: 'Open', act: { type: 'tmux', tmux } } as const]),
        { label: 'Open all its sessions', act: { type: 'openAll', keys, place: 'here' } },
        { label: 'Open all in a new tab', act: { type: 'openAll', keys, place: 'tab' } },
      ]
    : [];
}

/** The items for a tab. */
const tabItems = (at: number): Item[] =>
  (
    [
      ['New tab', 'newTab'],
      ['Name', 'renameTab'],
      ['Move to the left', 'moveTabLeft'],
      ['Move to the right', 'moveTabRight'],
      ['Close the tab', 'closeTab'],
    ] as const
  ).map(([label, command]) => ({ label, act: { type: 'tab', at, command } }));

function itemsAt(model: OverviewModel, panes: Panes, hit: Hit): Item[] {
  if (hit.type === 'bar') return barItems(model, hit.index);
  if (hit.type === 'tab') return hit.at === null ? [] : tabItems(hit.at);
  if (hit.type !== 'pane' && hit.type !== 'title') return [];
  const { id } = hit;
  const item = (label: string, command: (MenuAct & { type: 'pane' })['command']): Item => ({
    label,
    act: { type: 'pane', id, command },
  });
  if (showTmux(panes))
    return [
      item('Split right', 'splitRight'),
      item('Split down', 'splitDown'),
      item('Zoom, or not', 'zoom'),
      item('Swap with the next', 'swapNext'),
      item('New window', 'newTab'),
      item('Next layout', 'arrange'),
      item('End the program', 'kill'),
      { label: 'Close the tab', act: { type: 'tab', at: tabsBefore(model), command: 'closeTab' } },
    ];
  return [
    item('Split right', 'splitRight'),
    item('Split down', 'splitDown'),
    item(panes.isZoomed ? 'End the zoom' : 'Zoom', 'zoom'),
    item('Swap with the next', 'swapNext'),
    ...(panes.byId.size > 1 ? [item('Move to a new tab', 'toTab')] : [item('New tab', 'newTab')]),
    item(panes.marked.has(id) ? 'Remove the mark' : 'Mark for shared input', 'mark'),
    item('Rename', 'rename'),
    item('Close the pane', 'close'),
    item('End the program', 'kill'),
  ];
}

const tabsBefore = (model: OverviewModel): number => model.otherTabs.before.length;

/** Lets the server of a session of tmux do what a command of the panes means there. */
const inTmux = (model: OverviewModel, pane: number, command: Command<'panes'>): Step => {
  const commands = tmuxCommands[command];
  return commands === undefined
    ? step(model)
    : step(model, { type: 'toTmux', pane, event: { type: 'run', commands } });
};

function withMenu(model: OverviewModel, panes: Panes, hit: Hit, { row, col }: MouseInput): Step {
  const items = itemsAt(model, panes, hit);
  // The release is not for the program.
  const idle: OverviewModel = { ...model, drag: { type: 'nothing' } };
  return step(items.length === 0 ? idle : { ...idle, menu: { row, col, items, selected: 0 } });
}

/** Where a menu is in the window, with its border. */
export function menuArea({ row, col, items }: Menu, size: { cols: number; rows: number }) {
  const cols = Math.max(...items.map(({ label }) => label.length)) + 4;
  const rows = items.length + 2;
  return {
    row: Math.max(0, Math.min(row, size.rows - rows)),
    col: Math.max(0, Math.min(col, size.cols - cols)),
    rows,
    cols,
  };
}

const closed = (model: OverviewModel): OverviewModel => ({ ...model, menu: null, drag: null });

/** The button may be held until the choice, or pressed again for it. */
function menuMouse(model: OverviewModel, menu: Menu, mouse: MouseInput): Step {
  const area = menuArea(menu, model.size);
  const at = mouse.row - area.row - 1;
  const isInside = mouse.col > area.col && mouse.col < area.col + area.cols - 1;
  const item = isInside ? menu.items[at] : undefined;
  if (mouse.action === 'move')
    return step(item === undefined ? model : { ...model, menu: { ...menu, selected: at } });
  if (mouse.action === 'press')
    return step(item === undefined ? closed(model) : { ...model, drag: { type: 'nothing' } });
  if (mouse.action !== 'release') return step(model);
  // The button that opened the menu is released where it was pressed.
  if (mouse.row === menu.row && mouse.col === menu.col && mouse.button !== 'left')
    return step({ ...model, drag: null });
  return item === undefined ? step({ ...model, drag: null }) : chosen(closed(model), item.act);
}

/** Keys while a menu is shown: they move in it, choose, or close it. */
export function menuKey(model: OverviewModel, menu: Menu, event: TtyEvent): Step {
  if (event.type !== 'key' || event.action === 'release') return step(model);
  const last = menu.items.length - 1;
  const to = (selected: number) =>
    step({ ...model, menu: { ...menu, selected: Math.max(0, Math.min(last, selected)) } });
  switch (model.keys.command('results', event.press)) {
    case 'up':
      return to(menu.selected - 1);
    case 'down':
      return to(menu.selected + 1);
    case 'first':
    case 'pageUp':
      return to(0);
    case 'last':
    case 'pageDown':
      return to(last);
    case 'leave':
      return step(closed(model));
    case 'show': {
      const item = menu.items[menu.selected];
      return item === undefined ? step(closed(model)) : chosen(closed(model), item.act);
    }
    case null:
      return step(model);
  }
}

function chosen(model: OverviewModel, act: MenuAct): Step {
  const { panes } = model;
  if (panes === null) return step(model);
  if (act.type === 'open') return opened(model, act.key, { place: act.place });
  if (act.type === 'openAll') return openedAll(model, act.keys, act.place);
  if (act.type === 'tab') {
    const { state } = inTabs(model, (tabs) => tabShown(tabs, act.at));
    return state.panes === null ? step(model) : paneCommand(state, state.panes, act.command);
  }
  if (act.type === 'tmux') return headOpened(model, act.tmux);
  if (act.type === 'pane' && showTmux(panes)) return inTmux(model, act.id, act.command);
  if (act.type === 'pane') {
    const next = focused(panes, act.id);
    return paneCommand({ ...model, panes: next }, next, act.command);
  }
  const { key, action } = act;
  const name = model.entries.get(key)?.info.name ?? '';
  if (action === 'rename')
    return inMode(model, { type: 'name', key, line: { text: name, at: name.length } });
  return inMode(model, { type: 'confirm', action, keys: [key] });
}
