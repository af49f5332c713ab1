import { defined } from '#base';
import {
  arrange,
  type Direction,
  Layout,
  type LayoutCell,
  type LayoutPane,
  type PresetName,
  presetNames,
} from '#layout';
import type { Size } from '#model';

/** The most panes of a tab. */
export const maxPanes = 9;

/** The smallest size of a pane that is split, in columns for a row and in rows for a column. */
const leastToSplit: Readonly<Record<Direction, number>> = { row: 21, column: 7 };

/** A pane: a part of the window that shows a session, and gets its keys while it has the focus. */
export interface Pane extends LayoutPane {
  /** The names by which a layout remembers the session. */
  readonly session: {
    readonly coordinator: string;
    readonly name: string;
    /** For a session of tmux: the socket path of its server. */
    readonly tmux?: string;
  };
  /** The session, with the index of its coordinator; null until it is known. */
  readonly target: { readonly link: number; readonly id: string } | null;
  readonly as: 'auto' | 'take';
  /** The line to show first, instead of the screen. */
  readonly line?: number;
  /** Whether a session of tmux is made if there is none of its name. */
  readonly makes?: boolean;
  /** Why the session is not shown any more; empty if it is, or will be. */
  readonly problem: string;
}

/** What a new pane shows. */
export type PaneContent = Pick<Pane, 'session' | 'target'> & Partial<Pick<Pane, 'as' | 'line'>>;

/** The panes of a tab. Each has a place in the layout, and one of them has the focus. */
export interface Panes {
  /** The name that a person gave the tab; null: it is called after what it shows. */
  readonly title: string | null;
  /** Larger for a tab that was left later; 0 if it has not been left. */
  readonly leftAt: number;
  /** Null if there are no panes. Never changed: each step makes another one. */
  readonly layout: Layout<LayoutPane> | null;
  readonly byId: ReadonlyMap<number, Pane>;
  /** The pane that gets the keys; 0 if there are none. */
  readonly focus: number;
  /** The panes that had the focus before, newest first. */
  readonly earlier: readonly number[];
  /** Whether the pane with the focus has the whole space. */
  readonly isZoomed: boolean;
  /** The panes that share what is typed in one of them. */
  readonly marked: ReadonlySet<number>;
  /** The number of the next pane: no other pane of the window has it. */
  readonly nextId: number;
  /** The arrangement that was chosen last, as an index of the named ones; -1 for none. */
  readonly arrangement: number;
}

export const noPanes = (title: string | null = null): Panes => ({
  title,
  leftAt: 0,
  layout: null,
  byId: new Map(),
  focus: 0,
  earlier: [],
  isZoomed: false,
  marked: new Set(),
  nextId: 1,
  arrangement: -1,
});

/** Returns the ids of all panes, from the left and the top on: people number them in this order. */
export const paneIds = ({ layout }: Panes): number[] => layout?.panes().map(({ id }) => id) ?? [];

export const focusedPane = ({ byId, focus }: Panes): Pane | undefined => byId.get(focus);

/** Whether panes are those of a tab that shows a session of tmux, whose server has the layout. */
export const showTmux = (panes: Panes): boolean =>
  [...panes.byId.values()].some(({ session }) => session.tmux !== undefined);

/** Where a session is shown: in the pane with the focus, or in a new one right of it or below it. */
export type PanePlace = 'here' | Direction;

const leafOf = (layout: Layout<LayoutPane>, id: number): LayoutCell<LayoutPane> | undefined =>
  layout.root.leaves().find(({ pane }) => pane?.id === id);

/** Whether the pane with the focus has room for another one beside it or below it. */
export function hasRoom({ layout, byId, focus }: Panes, direction: Direction): boolean {
  const cell = layout === null ? undefined : leafOf(layout, focus);
  return (
    cell === undefined || (byId.size < maxPanes && cell.size(direction) >= leastToSplit[direction])
  );
}

/**
 * Shows a session in a pane, which gets the focus.
 *
 * @param space for all panes
 * @returns null if there is no room for another pane
 */
export function withPane(
  panes: Panes,
  { session, target, as = 'auto', line }: PaneContent,
  place: PanePlace,
  space: Size,
): Panes | null {
  const { layout: before, focus, nextId: id } = panes;
  const byId = new Map(panes.byId);
  const token: LayoutPane = { id };
  const layout = before?.copy() ?? new Layout<LayoutPane>(token, space.cols, space.rows);
  const cell = leafOf(layout, focus);
  if (cell !== undefined && cell.pane !== null) {
    if (place === 'here') {
      cell.pane = token;
      byId.delete(focus);
    } else {
      if (!hasRoom(panes, place) || !layout.split(cell.pane, token, { direction: place }))
        return null;
    }
  }
  byId.set(id, { id, session, target, as, problem: '', ...defined({ line }) });
  const isZoomed = panes.isZoomed && place === 'here';
  return withFocus({ ...panes, layout, byId, nextId: id + 1, isZoomed }, id);
}

/** Forgets what belongs to panes that do not exist any more. */
function withFocus(panes: Panes, id: number): Panes {
  const { byId } = panes;
  const earlier = [panes.focus, ...panes.earlier].filter(
    (each, at, all) => each !== id && byId.has(each) && all.indexOf(each) === at,
  );
  const marked = new Set([...panes.marked].filter((each) => byId.has(each)));
  return { ...panes, focus: id, earlier, marked };
}

/** Gives a pane the focus. A pane that is hidden by another one ends the zoom. */
export const focused = (panes: Panes, id: number): Panes =>
  id === panes.focus || !panes.byId.has(id) ? panes : withFocus({ ...panes, isZoomed: false }, id);

/** Removes a pane; the one that had the focus before gets it. */
export function without(panes: Panes, id: number): Panes {
  const { layout: before } = panes;
  if (before === null || !panes.byId.has(id)) return panes;
  const byId = new Map(panes.byId);
  byId.delete(id);
  if (byId.size === 0) return { ...noPanes(panes.title), nextId: panes.nextId };
  const layout = before.copy();
  const pane = leafOf(layout, id)?.pane;
  if (pane != null) layout.remove(pane);
  const next = { ...panes, layout, byId };
  if (id !== panes.focus) return withFocus(next, panes.focus);
  const [first] = layout.panes();
  const heir = panes.earlier.find((each) => byId.has(each)) ?? first?.id ?? 0;
  return withFocus({ ...next, isZoomed: false }, heir);
}

/** Changes what is known of a pane, if it exists. */
export function withPaneChanged(
  panes: Panes,
  id: number,
  change: Partial<Omit<Pane, 'id'>>,
): Panes {
  const pane = panes.byId.get(id);
  if (pane === undefined) return panes;
  return { ...panes, byId: new Map(panes.byId).set(id, { ...pane, ...change }) };
}

/** Shows the session of a pane anew: with another id, it is attached to again. */
export function reopened(panes: Panes, id: number): Panes {
  const { layout: before, nextId } = panes;
  const pane = panes.byId.get(id);
  if (before === null || pane === undefined) return panes;
  const layout = before.copy();
  const cell = leafOf(layout, id);
  if (cell !== undefined) cell.pane = { id: nextId };
  const byId = new Map(panes.byId);
  byId.delete(id);
  byId.set(nextId, { ...pane, id: nextId, problem: '', as: 'auto' });
  const marked = new Set([...panes.marked].map((each) => (each === id ? nextId : each)));
  const next = { ...panes, layout, byId, marked, nextId: nextId + 1 };
  return withFocus(next, panes.focus === id ? nextId : panes.focus);
}

/** A side of a pane. */
export type Side = 'left' | 'right' | 'up' | 'down';

/** Returns the pane beside another one: of several, the one that had the focus last; null if there is none. */
export function neighbour({ layout, earlier }: Panes, id: number, side: Side): number | null {
  const own = layout === null ? undefined : leafOf(layout, id);
  if (layout === null || own === undefined) return null;
  const isBeside = (x: number, cols: number, y: number, rows: number) =>
    x < own.x + own.cols && own.x < x + cols && y < own.y + own.rows && own.y < y + rows;
  const cells = layout.root.leaves().filter(({ x, y, cols, rows, pane }) => {
    if (pane === null || pane.id === id) return false;
    // The pane is moved by the border between them: then it overlaps.
    if (side === 'left') return x < own.x && isBeside(x + 2, cols, y, rows);
    if (side === 'right') return x > own.x && isBeside(x - 2, cols, y, rows);
    if (side === 'up') return y < own.y && isBeside(x, cols, y + 2, rows);
    return y > own.y && isBeside(x, cols, y - 2, rows);
  });
  const ids = cells.flatMap(({ pane }) => (pane === null ? [] : [pane.id]));
  return earlier.find((each) => ids.includes(each)) ?? ids[0] ?? null;
}

/** Returns the pane that is `step` panes after the one with the focus, around. */
export function following(panes: Panes, step: number): number {
  const ids = paneIds(panes);
  const at = ids.indexOf(panes.focus) + step;
  return ids[((at % ids.length) + ids.length) % ids.length] ?? panes.focus;
}

/** Exchanges the places of two panes. */
export function swapped(panes: Panes, one: number, other: number): Panes {
  const layout = panes.layout?.copy();
  const first = layout && leafOf(layout, one);
  const second = layout && leafOf(layout, other);
  if (layout === undefined || first === undefined || second === undefined) return panes;
  Layout.swap(first, second);
  return { ...panes, layout };
}

export const zoomed = (panes: Panes): Panes =>
  panes.byId.size < 2 ? panes : { ...panes, isZoomed: !panes.isZoomed };

/** Moves the border right of or below the pane with the focus; of the last one, the border before it. */
export function resized(panes: Panes, direction: Direction, change: number): Panes {
  const layout = panes.layout?.copy();
  const pane = layout === undefined ? undefined : leafOf(layout, panes.focus)?.pane;
  if (layout === undefined || pane == null) return panes;
  layout.resizePane(pane, direction, change, false);
  return { ...panes, layout };
}

/** A border that is dragged: where it was, and how it moves. */
export interface Border {
  readonly x: number;
  readonly y: number;
  readonly direction: Direction;
}

/** Returns the border at a place of the space; null if none is there. */
export function borderAt({ layout, isZoomed }: Panes, x: number, y: number): Border | null {
  const direction = isZoomed ? null : layout?.cellBefore(x, y)?.parent?.direction;
  return direction == null ? null : { x, y, direction };
}

/** Moves a border to a column or row, as far as there is room. Returns the border, too. */
export function withBorderAt(panes: Panes, border: Border, to: number): [Panes, Border] {
  const layout = panes.layout?.copy();
  const cell = layout?.cellBefore(border.x, border.y);
  if (layout === undefined || cell == null) return [panes, border];
  const isRow = border.direction === 'row';
  layout.moveBorder(cell, to - (isRow ? border.x : border.y));
  const end = isRow ? cell.x + cell.cols : cell.y + cell.rows;
  return [
    { ...panes, layout },
    { ...border, ...(isRow ? { x: end } : { y: end }) },
  ];
}

/** Returns the layout of tmux after the one in which the panes were arranged last, around. */
export const nextArrangement = ({ arrangement }: Panes): PresetName =>
  presetNames[(arrangement + 1) % presetNames.length] ?? 'tiled';

/** Arranges the panes in one of the named layouts of tmux. */
export function arranged(panes: Panes, space: Size, name: PresetName): Panes {
  const arrangement = presetNames.indexOf(name);
  const layout = panes.layout?.copy();
  if (layout === undefined) return panes;
  const half = Math.floor((name === 'main-horizontal' ? space.rows : space.cols) / 2);
  arrange(layout, layout.panes(), name, space, { main: Math.max(1, half), other: 0 });
  return { ...panes, layout, arrangement, isZoomed: false };
}

/**
 * Gives the panes another space: they share a small change, and a large one in proportion to their sizes. If they have
 * no room, the layout stays larger.
 */
export function fitted(panes: Panes, { cols, rows }: Size): Panes {
  const { layout: before } = panes;
  if (before === null || (before.root.cols === cols && before.root.rows === rows)) return panes;
  const isLarge = [cols - before.root.cols, rows - before.root.rows].some(
    (change, at) => Math.abs(change) * 4 > (at === 0 ? before.root.cols : before.root.rows),
  );
  const layout = (isLarge ? inProportion(before, cols, rows) : null) ?? before.copy();
  layout.resize(cols, rows);
  const { root } = layout;
  const isSame = root.cols === before.root.cols && root.rows === before.root.rows;
  return isSame ? panes : { ...panes, layout };
}

/** Returns null if a pane would have no cells. */
function inProportion(before: Layout<LayoutPane>, cols: number, rows: number) {
  if (before.root.least('row') > cols || before.root.least('column') > rows) return null;
  const layout = before.copy();
  layout.root.place(cols, rows, 0, 0);
  layout.root.fitChildren();
  layout.fix();
  return layout;
}

/** In a space that is smaller, panes that are smaller than these have no room, in cells. */
const smallSpace: Size = { cols: 60, rows: 12 };
const leastSeen: Size = { cols: 20, rows: 4 };

/** Whether not all panes have room: a small window, such as that of a phone, shows one at a time. */
function isCrowded({ root }: Layout<LayoutPane>, space: Size): boolean {
  if (root.cols > space.cols || root.rows > space.rows) return true;
  const isNarrow = space.cols < smallSpace.cols;
  const isLow = space.rows < smallSpace.rows;
  const leaves = root.direction === null ? [] : root.leaves();
  return leaves.some(
    ({ cols, rows }) => (isNarrow && cols < leastSeen.cols) || (isLow && rows < leastSeen.rows),
  );
}

/** A pane that is seen, in cells of the space. */
export interface SeenPane extends Size {
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

/** Returns the panes that are seen: all; the one with the focus where it is zoomed, or where not all have room. */
export function seenPanes({ layout, focus, isZoomed }: Panes, space: Size): SeenPane[] {
  if (layout === null) return [];
  if (isZoomed || isCrowded(layout, space)) return [{ id: focus, x: 0, y: 0, ...space }];
  return layout.root
    .leaves()
    .flatMap(({ pane, x, y, cols, rows }) =>
      pane === null ? [] : [{ id: pane.id, x, y, cols, rows }],
    );
}

/** Marks a pane, or removes its mark: what is typed in a marked pane goes to all of them. */
export function withMark(panes: Panes, id: number): Panes {
  const marked = new Set(panes.marked);
  if (!marked.delete(id) && panes.byId.has(id)) marked.add(id);
  return { ...panes, marked };
}

/** Marks all panes, or none if all are marked. */
export function withAllMarks(panes: Panes): Panes {
  const isAll = panes.marked.size === panes.byId.size;
  return { ...panes, marked: new Set(isAll ? [] : panes.byId.keys()) };
}

/** Returns the panes to which goes what is typed now. */
export const typedInto = ({ focus, marked }: Panes): number[] =>
  marked.has(focus) ? [focus, ...[...marked].filter((each) => each !== focus)] : [focus];
