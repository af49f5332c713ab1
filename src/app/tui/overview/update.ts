import type { MouseInput } from '#model';
import type { TtyEvent } from '#tty';
import { withPaneChanged } from '../panes/panes.ts';
import { inTabOf } from '../panes/tabs.ts';
import { layoutOf, showsPanes } from './layout.ts';
import { listKey, moved } from './list-mode.ts';
import { type OverviewModel, tabsIn, withSessions, withTabs } from './model.ts';
import { isOwn, opened, openedNew, paneEnded, withPanesSettled } from './opening.ts';
import { paneEvent, passedOn } from './panes-keys.ts';
import { menuKey, panesMouse } from './panes-mouse.ts';
import { keyAt, settled } from './rows.ts';
import { inMode, noticed, type OverviewEvent, type Step, step } from './step.ts';
import { tmuxId } from './tmux-sessions.ts';
import {
  confirmKey,
  filterKey,
  foundKey,
  helpKey,
  movedInFinds,
  nameKey,
  patternKey,
  replyKey,
} from './typing.ts';

/**
 * Returns the overview after an event, and what the event wants to be done. Pure.
 *
 * @param nowMs in ms since 1970
 */
export function update(before: OverviewModel, event: OverviewEvent, nowMs: number): Step {
  const passed = event.type === 'event' ? passedOn(before, event.event) : null;
  if (passed !== null) return passed;
  const isOver = before.notice !== null && before.notice.untilMs <= nowMs;
  const current = { ...before, nowMs, ...(isOver ? { notice: null } : {}) };
  const { state, effects } = changed(current, event);
  return { state: settled(before, withPanesSettled(state)), effects };
}

function changed(model: OverviewModel, event: OverviewEvent): Step {
  switch (event.type) {
    case 'event':
      return ttyEvent(model, event.event);
    case 'window':
      return step({ ...model, size: event.size });
    case 'time':
      return step({ ...model, tickedAtMs: model.nowMs }, { type: 'findLinks' });
    case 'link': {
      const { state, reason } = event;
      const links = model.links.map((link, index) =>
        index === event.link ? { ...link, state, reason } : link,
      );
      return step({ ...model, links });
    }
    case 'newLink': {
      const link = { name: event.name, state: 'connecting', reason: '' } as const;
      return step({ ...model, links: [...model.links, link] });
    }
    case 'sessions':
      return step(withSessions(model, event.link, event.events));
    case 'lastLines':
      return step({ ...model, lastLines: new Map([...model.lastLines, ...event.lines]) });
    case 'tracking': {
      const tracking = new Map(model.tracking);
      if (event.tracking === null) tracking.delete(event.directory);
      else tracking.set(event.directory, event.tracking);
      return step({ ...model, tracking });
    }
    case 'spawned': {
      const coordinatorName = model.links[event.link]?.name ?? '';
      const awaited = { coordinatorName, name: event.info.name };
      return openedNew({ ...model, awaited, query: '', states: 'all' }, event);
    }
    case 'paneShows': {
      const tabs = tabsIn(model);
      if (tabs === null) return step(model);
      const { pane, link, session } = event;
      const coordinator = model.links[link]?.name ?? '';
      const shown = {
        session: { coordinator, name: session.name },
        target: { link, id: session.id },
      };
      const next = inTabOf(tabs, pane, (panes) => withPaneChanged(panes, pane, shown));
      return step({ ...model, ...withTabs(next) });
    }
    case 'paneShowsTmux': {
      const tabs = tabsIn(model);
      if (tabs === null) return step(model);
      const { pane, name } = event;
      const next = inTabOf(tabs, pane, (panes) => {
        const { session, target } = panes.byId.get(pane) ?? {};
        if (session?.tmux === undefined || target == null || session.name === name) return panes;
        return withPaneChanged(panes, pane, {
          session: { ...session, name },
          target: { ...target, id: tmuxId(session.tmux, name) },
        });
      });
      return step({ ...model, ...withTabs(next) });
    }
    case 'paneEnded':
      return paneEnded(model, event.pane, event.end);
    case 'found':
      return step(withFinds(model, event));
    case 'workLeft':
      return workLeft(model, event);
    case 'notice':
      return step(noticed(model, event.text, { isError: event.isError }));
  }
}

/** Asks whether the session is removed in spite of it, unless the person does something else by now. */
function workLeft(model: OverviewModel, { key, text }: { key: string; text: string }): Step {
  const [first = ''] = text.split('\n');
  const left = first.replace(/^session \S+ was not removed: /, '');
  if (model.mode.type !== 'list') return step(noticed(model, left, { isError: true }));
  return inMode(model, { type: 'confirm', action: 'discard', keys: [key], left });
}

function withFinds(
  model: OverviewModel,
  { id, finds, isCut }: OverviewEvent & { type: 'found' },
): OverviewModel {
  const { mode } = model;
  if (mode.type !== 'found' || mode.id !== id) return model;
  const next = {
    finds: [...mode.finds, ...finds],
    isCut: mode.isCut || isCut,
    left: mode.left - 1,
  };
  // The session of the selected line is shown.
  const selected = next.finds[mode.at]?.key ?? model.selected;
  return { ...model, selected, mode: { ...mode, ...next } };
}

function ttyEvent(model: OverviewModel, event: TtyEvent): Step {
  if (event.type === 'size') return step({ ...model, size: event.size });
  if (event.type === 'focus') return step({ ...model, hasFocus: event.focused });
  if (event.type === 'mouse') return mouseEvent(model, event.mouse);
  const { panes } = model;
  const isInPane = showsPanes(model) && model.mode.type === 'list' && !model.hasBarKeys;
  if (panes !== null && isInPane) {
    const next: OverviewModel = { ...model, notice: null, hasFocus: true };
    return model.menu === null ? paneEvent(next, panes, event) : menuKey(next, model.menu, event);
  }
  const isTyped = event.type === 'paste' || (event.type === 'key' && event.action !== 'release');
  if (!isTyped) return step(model);
  // The person has read it, and does something else.
  const read: OverviewModel = { ...model, notice: null, hasFocus: true };
  const { mode } = read;
  switch (mode.type) {
    case 'list':
      return listKey(read, event);
    case 'filter':
      return filterKey(read, mode, event);
    case 'reply':
      return replyKey(read, mode, event);
    case 'pattern':
      return patternKey(read, mode, event);
    case 'found':
      return foundKey(read, mode, event);
    case 'confirm':
      return confirmKey(read, mode, event);
    case 'name':
      return nameKey(read, mode, event);
    case 'help':
      return helpKey(read, mode, event);
  }
}

/** A second click on the same row within this time attaches, in ms. */
const doubleClickMs = 500;

/** A click selects, a second one attaches; the wheel moves the selection. */
function mouseEvent(model: OverviewModel, mouse: MouseInput): Step {
  const { mode, panes } = model;
  if (panes !== null && showsPanes(model)) return panesMouse(model, panes, mouse);
  if (mode.type !== 'list' && mode.type !== 'filter' && mode.type !== 'found') return step(model);
  if (mouse.action === 'scrollUp' || mouse.action === 'scrollDown') {
    const by = mouse.action === 'scrollUp' ? -1 : 1;
    return mode.type === 'found' ? movedInFinds(model, mode, by) : moved(model, by);
  }
  const { list } = layoutOf(model);
  const isInside =
    mouse.row >= list.row &&
    mouse.row < list.row + list.rows &&
    mouse.col >= list.col &&
    mouse.col < list.col + list.cols;
  if (mouse.action !== 'press' || (mouse.button ?? 'left') !== 'left' || !isInside) {
    return step(model);
  }
  if (mode.type === 'found') return step(model);
  return clicked(model, keyAt(model.rows, model.top + mouse.row - list.row));
}

function clicked(model: OverviewModel, key: string | null): Step {
  if (key === null) return step(model);
  const { lastClick, nowMs } = model;
  const isSecond = lastClick?.key === key && nowMs - lastClick.atMs <= doubleClickMs;
  const after: OverviewModel = {
    ...model,
    selected: key,
    selectedAtMs: 0,
    awaited: null,
    lastClick: isSecond ? null : { key, atMs: nowMs },
  };
  return isSecond && !isOwn(model, key) ? opened(after, key) : step(after);
}
