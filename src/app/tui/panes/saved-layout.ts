import { quoted } from '#base';
import { Layout, type LayoutPane, layoutText, parseLayout } from '#layout';
import { maxPanes, noPanes, type Pane, type Panes, paneIds } from './panes.ts';
import { allTabs, maxTabs, type Tabs, tabsSettled } from './tabs.ts';

/** The list of sessions beside the panes. */
export interface SideBar {
  /** In columns, as far as the window has them. */
  readonly cols: number;
  readonly isShown: boolean;
}

export const usualBar: SideBar = { cols: 30, isShown: true };

/** Layouts that are remembered by name. */
export interface LayoutStore {
  /** Returns what was saved; null if nothing was, or it cannot be read. */
  load(name: string): string | null;
  /** @throws VtrError IO_ERROR, INVALID_ARGUMENT */
  save(name: string, text: string): void;
}

/** What a layout can be called: it is a part of the name of a file. */
const names = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,63}$/u;

/** Returns why a layout cannot have a name; null if it can. */
export const layoutNameProblem = (name: string): string | null =>
  names.test(name)
    ? null
    : `a layout cannot be called ${quoted(name)}: use 1 to 64 letters, digits, - _ and .`;

/** Returns what is remembered of a window: its tabs, their panes with places and sessions, and what is seen of them. */
export function savedLayout(tabs: Tabs, { cols, isShown }: SideBar): string {
  const saved = {
    version: 2,
    tabs: allTabs(tabs).map(savedTab),
    shown: tabs.before.length,
    bar: { cols, shown: isShown },
  };
  return `${JSON.stringify(saved, null, 2)}\n`;
}

function savedTab(panes: Panes): object {
  const ids = paneIds(panes);
  return {
    title: panes.title,
    layout: panes.layout === null ? '' : layoutText(panes.layout.root),
    panes: ids.flatMap((id) => panes.byId.get(id)?.session ?? []),
    focus: Math.max(0, ids.indexOf(panes.focus)),
    zoomed: panes.isZoomed,
    marked: ids.flatMap((id, at) => (panes.marked.has(id) ? [at] : [])),
  };
}

/**
 * Returns the tabs of {@link savedLayout}, or the panes of version 1 as one tab. Their sessions are looked for by name.
 *
 * @returns null if the text is not one of it
 */
export function restoredLayout(text: string): { tabs: Tabs; bar: SideBar } | null {
  let saved: unknown;
  try {
    saved = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(saved)) return null;
  const bar = barOf(saved['bar']);
  const { version, shown } = saved as Readonly<Record<'version' | 'shown', unknown>>;
  const listed = version === 1 ? [saved] : version === 2 ? saved['tabs'] : null;
  if (!Array.isArray(listed)) return null;
  const all: Panes[] = [];
  for (const each of listed.slice(0, maxTabs)) {
    const tab = restoredTab(each, all.at(-1)?.nextId ?? 1);
    if (tab === null) return null;
    all.push(tab);
  }
  const isTab = typeof shown === 'number' && shown in all;
  const at = isTab ? shown : 0;
  const tabs = {
    before: all.slice(0, at),
    shown: all[at] ?? noPanes(),
    after: all.slice(at + 1),
  };
  return { tabs: tabsSettled(tabs), bar };
}

/** @param first the number of the first pane */
function restoredTab(saved: unknown, first: number): Panes | null {
  if (!isRecord(saved) || typeof saved['layout'] !== 'string') return null;
  const { title } = saved as Readonly<Record<'title', unknown>>;
  const none = { ...noPanes(typeof title === 'string' ? title : null), nextId: first };
  const listed = Array.isArray(saved['panes']) ? saved['panes'].slice(0, maxPanes) : [];
  const sessions = listed.flatMap((each) => sessionOf(each) ?? []);
  if (sessions.length === 0) return none;
  const tokens = sessions.map((_, at): LayoutPane => ({ id: first + at }));
  const layout = new Layout<LayoutPane>(null, 1, 1);
  if (parseLayout(layout, tokens, saved['layout']) !== null) return null;
  const byId = new Map(
    sessions.map((session, at): [number, Pane] => [
      first + at,
      { id: first + at, session, target: null, as: 'auto', problem: '' },
    ]),
  );
  const { focus, zoomed, marked } = saved as Readonly<
    Record<'focus' | 'zoomed' | 'marked', unknown>
  >;
  const isPane = (each: unknown): each is number =>
    typeof each === 'number' && byId.has(each + first);
  return {
    ...none,
    layout,
    byId,
    focus: isPane(focus) ? focus + first : first,
    isZoomed: zoomed === true && sessions.length > 1,
    marked: new Set(Array.isArray(marked) ? marked.filter(isPane).map((at) => at + first) : []),
    nextId: first + sessions.length,
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function sessionOf(value: unknown): Pane['session'] | null {
  if (!isRecord(value)) return null;
  const { coordinator, name, tmux } = value;
  if (typeof coordinator !== 'string' || typeof name !== 'string') return null;
  return { coordinator, name, ...(typeof tmux === 'string' && { tmux }) };
}

function barOf(value: unknown): SideBar {
  if (!isRecord(value)) return usualBar;
  const { cols, shown } = value;
  const isCols = typeof cols === 'number' && Number.isSafeInteger(cols) && cols > 0;
  return { cols: isCols ? cols : usualBar.cols, isShown: shown !== false };
}
