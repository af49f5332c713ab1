import type { Direction, LayoutCell } from '../layout/cell.ts';
import type { TmuxPane, TmuxWindow } from '../state/tmux-window.ts';

/**
 * Finds a pane of a window by its id, its index, its place, or from another one.
 *
 * @param from of the steps `+` and `-`, and of `{up-of}`; default: the active pane
 * @returns null if there is none
 */
export function paneIn(
  window: TmuxWindow,
  given: string,
  from: TmuxPane = window.active,
): TmuxPane | null {
  const text = given;
  const { panes } = window;
  if (text.startsWith('%')) return panes.find(({ id }) => `%${id}` === text) ?? null;
  if (text === '!') return window.last;
  const beyond = neighbours.get(text);
  if (beyond !== undefined) return window.neighbour(window.active, beyond[0], beyond[1]);
  const [, sign, count] = /^([-+])(\d*)$/.exec(text) ?? [];
  if (sign !== undefined) {
    const step = (count === '' ? 1 : Number(count)) * (sign === '+' ? 1 : -1);
    const start = panes.includes(from) ? from : window.active;
    const at = (panes.indexOf(start) + step) % panes.length;
    return panes[(at + panes.length) % panes.length] ?? null;
  }
  if (/^\d+$/.test(text)) {
    return panes.find(({ index }) => index === Number(text)) ?? null;
  }
  const isAt = corners.get(text);
  const cells = isAt === undefined ? [] : window.shownLayout.root.leaves();
  return cells.find((cell) => isAt?.(cell, window))?.pane ?? null;
}

const neighbours: ReadonlyMap<string, readonly [Direction, 1 | -1]> = new Map([
  ['{up-of}', ['column', -1]],
  ['{down-of}', ['column', 1]],
  ['{left-of}', ['row', -1]],
  ['{right-of}', ['row', 1]],
]);

/** The places of a window: the side or the corner that a pane touches. */
const sides: Readonly<Record<string, (cell: LayoutCell<TmuxPane>, at: TmuxWindow) => boolean>> = {
  top: (cell) => cell.y === 0,
  bottom: (cell, { rows }) => cell.y + cell.rows === rows,
  left: (cell) => cell.x === 0,
  right: (cell, { cols }) => cell.x + cell.cols === cols,
  'top-left': (cell) => cell.x === 0 && cell.y === 0,
  'top-right': (cell, { cols }) => cell.y === 0 && cell.x + cell.cols === cols,
  'bottom-left': (cell, { rows }) => cell.x === 0 && cell.y + cell.rows === rows,
  'bottom-right': (cell, { cols, rows }) =>
    cell.x + cell.cols === cols && cell.y + cell.rows === rows,
};

const corners = new Map(Object.entries(sides));
