import { Layout, type LayoutPane, layoutText, parseLayout } from '#layout';
import { maxPanes, noPanes, type Pane, type Panes, paneIds } from './panes.ts';

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
    : `a layout cannot be called ${JSON.stringify(name)}: use 1 to 64 letters, digits, - _ and .`;

/** Returns what is remembered of panes: their places, their sessions, and what is seen of them. */
export function savedLayout(panes: Panes, { cols, isShown }: SideBar): string {
  const ids = paneIds(panes);
  const saved = {
    version: 1,
    layout: panes.layout === null ? '' : layoutText(panes.layout.root),
    panes: ids.flatMap((id) => panes.byId.get(id)?.session ?? []),
    focus: Math.max(0, ids.indexOf(panes.focus)),
    zoomed: panes.isZoomed,
    marked: ids.flatMap((id, at) => (panes.marked.has(id) ? [at] : [])),
    bar: { cols, shown: isShown },
  };
  return `${JSON.stringify(saved, null, 2)}\n`;
}

/**
 * Returns the panes of {@link savedLayout}. Their sessions are looked for by name.
 *
 * @returns null if the text is not one of it
 */
export function restoredLayout(name: string, text: string): { panes: Panes; bar: SideBar } | null {
  let saved: unknown;
  try {
    saved = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(saved) || saved['version'] !== 1 || typeof saved['layout'] !== 'string')
    return null;
  const bar = barOf(saved['bar']);
  const listed = Array.isArray(saved['panes']) ? saved['panes'].slice(0, maxPanes) : [];
  const sessions = listed.flatMap((each) => sessionOf(each) ?? []);
  if (sessions.length === 0) return { panes: noPanes(name), bar };
  const tokens = sessions.map((_, at): LayoutPane => ({ id: at + 1 }));
  const layout = new Layout<LayoutPane>(null, 1, 1);
  if (parseLayout(layout, tokens, saved['layout']) !== null) return null;
  const byId = new Map(
    sessions.map((session, at): [number, Pane] => [
      at + 1,
      { id: at + 1, session, target: null, as: 'auto', problem: '' },
    ]),
  );
  const { focus, zoomed, marked } = saved as Readonly<
    Record<'focus' | 'zoomed' | 'marked', unknown>
  >;
  const isPane = (each: unknown): each is number => typeof each === 'number' && byId.has(each + 1);
  const panes: Panes = {
    ...noPanes(name),
    layout,
    byId,
    focus: isPane(focus) ? focus + 1 : 1,
    isZoomed: zoomed === true && sessions.length > 1,
    marked: new Set(Array.isArray(marked) ? marked.filter(isPane).map((at) => at + 1) : []),
    nextId: sessions.length + 1,
  };
  return { panes, bar };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function sessionOf(value: unknown): Pane['session'] | null {
  if (!isRecord(value)) return null;
  const { coordinator, name } = value;
  return typeof coordinator === 'string' && typeof name === 'string' ? { coordinator, name } : null;
}

function barOf(value: unknown): SideBar {
  if (!isRecord(value)) return usualBar;
  const { cols, shown } = value;
  const isCols = typeof cols === 'number' && Number.isSafeInteger(cols) && cols > 0;
  return { cols: isCols ? cols : usualBar.cols, isShown: shown !== false };
}
