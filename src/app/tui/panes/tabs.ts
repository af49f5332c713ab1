import { noPanes, type Pane, type Panes, paneIds } from './panes.ts';

/** The most tabs of a window. */
export const maxTabs = 20;

/** The tabs of a window: each has panes of its own, and one of them is shown. */
export interface Tabs {
  readonly before: readonly Panes[];
  readonly shown: Panes;
  readonly after: readonly Panes[];
}

export const oneTab = (shown: Panes): Tabs => ({ before: [], shown, after: [] });

/** Returns all tabs, from the first to the last. */
export const allTabs = ({ before, shown, after }: Tabs): readonly Panes[] => [
  ...before,
  shown,
  ...after,
];

/** Returns the tabs of a list, of which the one at `at` is shown. The list must not be empty. */
function tabsOf(all: readonly Panes[], at: number): Tabs {
  const index = Math.max(0, Math.min(at, all.length - 1));
  const shown = all[index] ?? noPanes();
  return { before: all.slice(0, index), shown, after: all.slice(index + 1) };
}

/** Shows another tab. @param at its index; what is out of range changes nothing */
export function tabShown(tabs: Tabs, at: number): Tabs {
  const all = allTabs(tabs);
  if (at === tabs.before.length || all[at] === undefined) return tabs;
  const turn = Math.max(...all.map(({ leftAt }) => leftAt)) + 1;
  const left = all.map((each) => (each === tabs.shown ? { ...each, leftAt: turn } : each));
  return tabsOf(left, at);
}

/** Returns the index of the tab that is `step` tabs after the one that is shown, around. */
export function tabBeside(tabs: Tabs, step: number): number {
  const { length } = allTabs(tabs);
  return (((tabs.before.length + step) % length) + length) % length;
}

/** Returns the index of the tab that was shown before; the one that is shown if it is the only one. */
export function tabBefore(tabs: Tabs): number {
  const all = allTabs(tabs);
  const others = all.filter((each) => each !== tabs.shown);
  const last = others.reduce(
    (best: Panes | null, each) => (best === null || each.leftAt > best.leftAt ? each : best),
    null,
  );
  return last === null ? tabs.before.length : all.indexOf(last);
}

/** Shows panes in a new tab, after the one that is shown. */
export function withTab(tabs: Tabs, panes: Panes): Tabs {
  const { before, shown, after } = tabs;
  return tabShown({ before, shown, after: [panes, ...after] }, before.length + 1);
}

/** Moves the tab that is shown to another place. @param to its index there; the ends are the limits */
export function tabMoved({ before, shown, after }: Tabs, to: number): Tabs {
  const others = [...before, ...after];
  const at = Math.max(0, Math.min(to, others.length));
  return { before: others.slice(0, at), shown, after: others.slice(at) };
}

/** Closes the tab that is shown, and shows the one before. The last tab stays, without panes. */
export function tabClosed(tabs: Tabs): Tabs {
  const others = [...tabs.before, ...tabs.after];
  if (others.length === 0) return oneTab({ ...noPanes(), nextId: tabs.shown.nextId });
  const next = allTabs(tabs)[tabBefore(tabs)];
  return tabsOf(others, next === undefined ? 0 : others.indexOf(next));
}

/** Returns the tabs after a change of the one with a pane; the same tabs if none has it. */
export function inTabOf(tabs: Tabs, pane: number, change: (panes: Panes) => Panes): Tabs {
  const changed = (panes: Panes) => (panes.byId.has(pane) ? change(panes) : panes);
  return {
    before: tabs.before.map(changed),
    shown: changed(tabs.shown),
    after: tabs.after.map(changed),
  };
}

/** Returns the tab and the pane that show something. */
export function paneIn(
  tabs: Tabs,
  isIt: (pane: Pane) => boolean,
): { readonly tab: number; readonly pane: number } | null {
  for (const [tab, panes] of allTabs(tabs).entries()) {
    const pane = paneIds(panes).find((id) => {
      const each = panes.byId.get(id);
      return each !== undefined && isIt(each);
    });
    if (pane !== undefined) return { tab, pane };
  }
  return null;
}

/**
 * Returns the tabs without those that have no panes any more, as long as another one is left, and with numbers for new
 * panes that no other tab gives.
 */
export function tabsSettled(tabs: Tabs): Tabs {
  const hasPanes = ({ byId }: Panes) => byId.size > 0;
  let settled = tabs;
  if (!allTabs(tabs).every(hasPanes)) {
    const [before, after] = [tabs.before.filter(hasPanes), tabs.after.filter(hasPanes)];
    settled = { ...tabs, before, after };
    if (!hasPanes(tabs.shown) && before.length + after.length > 0) settled = tabClosed(settled);
  }
  const nextId = Math.max(...allTabs(settled).map((each) => each.nextId));
  const numbered = (panes: Panes) => (panes.nextId === nextId ? panes : { ...panes, nextId });
  if (allTabs(settled).every((each) => each.nextId === nextId)) return settled;
  return {
    before: settled.before.map(numbered),
    shown: numbered(settled.shown),
    after: settled.after.map(numbered),
  };
}
