import {
  type Cell,
  type Cursor,
  type FrameRow,
  type MouseTracking,
  plainStyle,
  runsOfCells,
  type Size,
  type Style,
  type TmuxEnd,
  tmuxFrameText,
} from '#model';
import { Borders } from '../drawing/borders.ts';
import { Canvas } from '../drawing/canvas.ts';
import type { DrawnLine } from '../drawing/draw-format.ts';
import { styleOf } from '../drawing/styles.ts';
import { expand, expandWithTime } from '../format/expand.ts';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { TmuxSession, WindowLink } from '../state/tmux-session.ts';
import type { TmuxPane, TmuxWindow } from '../state/tmux-window.ts';
import { modeView } from './mode-view.ts';
import type { Overlay, PanePlace } from './overlays.ts';
import type { Prompt } from './prompt.ts';
import type { SessionViews } from './session-views.ts';
import { type Message, messageLine, type StatusLine } from './status-line.ts';

/** All that a client shows. */
export interface Scene {
  readonly server: TmuxServer;
  readonly size: Size;
  readonly link: WindowLink;
  readonly views: SessionViews;
  readonly status: StatusLine;
  readonly message: Message | null;
  readonly prompt: Prompt | null;
  readonly overlay: Overlay | null;
  /** Whether the client has the mouse where the option `mouse` is off. */
  readonly usesMouse: boolean;
  /** Where the view of a larger window was moved; null: it follows the cursor. */
  readonly panned: { readonly row: number; readonly col: number } | null;
}

/** A client's terminal as it is to be, and where things are in it. */
export interface Composed {
  readonly rows: readonly (readonly Cell[])[];
  readonly cursor: Cursor;
  readonly title: string | null;
  readonly mouse: MouseTracking;
  readonly link: WindowLink;
  readonly panes: readonly PanePlace[];
  /** The lines of the status line, and the row of the first. */
  readonly status: { readonly row: number; readonly lines: readonly DrawnLine[] };
  /** The place of the window: its part that is shown begins at `x` and `y`. */
  readonly window: {
    readonly row: number;
    readonly rows: number;
    readonly x: number;
    readonly y: number;
  };
}

const hiddenCursor: Cursor = {
  row: 0,
  col: 0,
  wrapPending: false,
  visible: false,
  shape: 'block',
  blinking: true,
};

/** Draws what a client shows: the window with its panes and borders, the status line, and what is over them. */
export async function compose(scene: Scene): Promise<Composed> {
  const { size, link, status, views } = scene;
  const canvas = new Canvas(size);
  const lines = await status.lines(size.cols);
  const isTop = status.isAtTop;
  const rows = Math.max(0, size.rows - lines.length);
  const top = isTop ? lines.length : 0;
  const { window } = link;
  const screens = await Promise.all(window.panes.map(({ session }) => views.screenOf(session)));
  const active = screens[window.panes.indexOf(window.active)] ?? null;
  const { x, y } = offsetOf(window, { cols: size.cols, rows }, scene, active?.cursor ?? null);
  const area = { row: top, rows, x, y };
  const panes = placesOf(window, area);
  const ofPanes = new Canvas({ cols: size.cols, rows });
  const cursor = await drawPanes(ofPanes, panes, scene, area);
  await drawBorders(ofPanes, window, scene, area);
  for (const [at, row] of ofPanes.rows.entries()) canvas.put(top + at, 0, row);
  const statusRow = isTop ? 0 : rows;
  for (const [at, { cells }] of lines.entries()) canvas.put(statusRow + at, 0, cells);
  const last = isTop ? Math.max(0, lines.length - 1) : size.rows - 1;
  if (scene.prompt !== null) canvas.put(last, 0, await scene.prompt.line(status, size.cols));
  else if (scene.message !== null) {
    canvas.put(last, 0, (await messageLine(scene.message, status, size.cols)).cells);
  }
  const { overlay } = scene;
  const under = { views, panes, active: window.active };
  const above = overlay === null ? undefined : await overlay.draw(canvas, under);
  return {
    rows: canvas.rows,
    cursor: shownCursor(above === undefined ? cursor : above, scene, size),
    title: await titleOf(scene),
    mouse: await mouseOf(scene),
    link,
    panes,
    status: { row: statusRow, lines },
    window: area,
  };
}

/** As in tmux: a prompt has a cursor of its own, which is a cell, and a message hides it. */
function shownCursor(cursor: Cursor | null, scene: Scene, size: Size): Cursor {
  const { prompt, message, overlay } = scene;
  const isBelow = overlay === null && (prompt !== null || message !== null);
  if (cursor === null || isBelow) return hiddenCursor;
  const isInside =
    cursor.row >= 0 && cursor.col >= 0 && cursor.row < size.rows && cursor.col < size.cols;
  return isInside ? cursor : hiddenCursor;
}

async function titleOf({ link, status }: Scene): Promise<string | null> {
  const { options } = link.session;
  if (!options.isOn('set-titles')) return null;
  return expand(options.text('set-titles-string'), status.about);
}

/** The events of the mouse that the bindings or a program of the window want. */
async function mouseOf({ link, views, overlay, usesMouse }: Scene): Promise<MouseTracking> {
  const wants = link.window.panes.map(
    (pane) => [pane, views.latest(pane.session)?.modes.mouseTracking ?? 'none'] as const,
  );
  if (usesMouse || link.session.options.isOn('mouse')) {
    if (overlay !== null || wants.some(([, tracking]) => tracking === 'any')) return 'any';
    return 'button';
  }
  return wants.find(([pane]) => pane === link.window.active)?.[1] ?? 'none';
}

/** Where the part of a window begins that is shown, if the window is larger than the terminal. */
function offsetOf(
  window: TmuxWindow,
  size: Size,
  { panned }: Scene,
  cursor: Cursor | null,
): { readonly x: number; readonly y: number } {
  if (size.cols >= window.cols && size.rows >= window.rows) return { x: 0, y: 0 };
  const most = {
    x: Math.max(0, window.cols - size.cols),
    y: Math.max(0, window.rows - size.rows),
  };
  if (panned !== null) {
    return { x: Math.min(panned.col, most.x), y: Math.min(panned.row, most.y) };
  }
  const cell = window.placeOf(window.active);
  if (cell === null || cursor === null || !cursor.visible) return { x: 0, y: 0 };
  const along = (at: number, shown: number, limit: number, total: number) =>
    at < shown ? 0 : at > total - shown ? limit : at - (shown >> 1);
  return {
    x: Math.min(most.x, along(cell.x + cursor.col, size.cols, most.x, window.cols)),
    y: Math.min(most.y, along(cell.y + cursor.row, size.rows, most.y, window.rows)),
  };
}

/** The part of a window that is shown. */
type Area = Composed['window'];

function placesOf(window: TmuxWindow, { row, x, y }: Area): PanePlace[] {
  return window.places.map((place) => ({
    pane: place.pane,
    row: row + place.y - y,
    col: place.x - x,
    rows: place.rows,
    cols: place.cols,
  }));
}

/** Draws what the panes show. Returns the cursor of the active one, in the terminal. */
async function drawPanes(
  canvas: Canvas,
  panes: readonly PanePlace[],
  scene: Scene,
  area: Area,
): Promise<Cursor | null> {
  const { link, views, status } = scene;
  let cursor: Cursor | null = null;
  for (const { pane, row, col, rows, cols } of panes) {
    const isActive = pane === link.window.active;
    const mode = pane.modes.current;
    const about = status.about.of({ pane });
    const screenOf = async (paneId: number) => {
      const pane = scene.server.panes.find(({ id }) => id === paneId);
      return pane === undefined ? null : views.screenOf(pane.session);
    };
    const shown =
      mode === null
        ? await views.screenOf(pane.session)
        : await modeView(pane, mode, { about, screenOf });
    if (shown === null) continue;
    const style = await paneStyle(pane, isActive, about);
    for (const [at, cells] of shown.rows.slice(0, rows).entries()) {
      canvas.put(row - area.row + at, col, styled(cells.slice(0, cols), cols, style));
    }
    if (!isActive || shown.cursor === null || pane.dead !== null) continue;
    const inside = {
      row: Math.min(shown.cursor.row, rows - 1),
      col: Math.min(shown.cursor.col, cols - 1),
    };
    cursor = { ...shown.cursor, row: row + inside.row, col: col + inside.col };
  }
  return cursor;
}

/** The style of what a pane shows without colours; null if it is plain. */
async function paneStyle(
  { options }: TmuxPane,
  isActive: boolean,
  about: StatusLine['about'],
): Promise<Style | null> {
  const own = options.text('window-style');
  const ofActive = isActive ? options.text('window-active-style') : 'default';
  if (own === 'default' && ofActive === 'default') return null;
  const base = styleOf(await expand(own, about));
  return ofActive === 'default' ? base : styleOf(await expand(ofActive, about), base);
}

function styled(cells: readonly Cell[], cols: number, style: Style | null): readonly Cell[] {
  if (style === null) return cells;
  const all = [...cells];
  while (all.length < cols) all.push({ text: ' ', width: 1, style: plainStyle });
  return all.map((cell) => {
    const { fg, bg } = cell.style;
    return { ...cell, style: { ...cell.style, fg: fg ?? style.fg, bg: bg ?? style.bg } };
  });
}

async function drawBorders(
  canvas: Canvas,
  window: TmuxWindow,
  { status, server }: Scene,
  { x, y }: Area,
): Promise<void> {
  const { cols, rows } = canvas.size;
  const { places } = window;
  const { options } = window;
  const paneStatus = borderStatusOf(window);
  const isWhole = places.length === 1 && paneStatus === 'off';
  if (isWhole && cols <= window.cols && rows <= window.rows) return;
  const active = places.find(({ pane }) => pane === window.active) ?? places[0];
  if (active === undefined) return;
  const lines = options.text('pane-border-lines');
  const isSplit = ['colour', 'both'].includes(options.text('pane-border-indicators'));
  const bordered = { cols: window.cols, rows: window.rows, panes: places, active, isSplit };
  const borders = new Borders({ ...bordered, status: paneStatus }, lines);
  const marked = places.find(({ pane }) => pane === server.marked);
  const about = status.about.of({ pane: window.active });
  const ofActive = styleOf(await expand(options.text('pane-active-border-style'), about));
  const ofOthers = styleOf(await expand(options.text('pane-border-style'), about));
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const cell = borders.cell(col + x, row + y);
      if (cell === null) continue;
      const style = cell.isActive ? ofActive : ofOthers;
      const isMarked = marked !== undefined && borders.touches(marked, col + x, row + y);
      const shown = isMarked ? { ...style, inverse: !style.inverse } : style;
      const text =
        lines === 'number' && cell.pane !== null ? String(cell.pane.pane.index) : cell.character;
      canvas.put(row, col, [{ text, width: 1, style: shown }]);
    }
  }
  if (paneStatus === 'off') return;
  for (const { pane, x: left, y: top, cols: width, rows: height } of places) {
    const row = (paneStatus === 'top' ? top - 1 : top + height) - y;
    const ofPane = status.about.of({ pane });
    const style = pane === window.active ? ofActive : ofOthers;
    const text = await expandWithTime(pane.options.text('pane-border-format'), ofPane);
    drawBorderText(canvas, { row, col: left + 2 - x, cols: width - 4 }, text, style);
  }
}

const borderStatusOf = ({ options }: TmuxWindow): 'off' | 'top' | 'bottom' => {
  const status = options.text('pane-border-status');
  return status === 'top' || status === 'bottom' ? status : 'off';
};

/** Draws the name of a pane over its border; what the format leaves free is the border. */
function drawBorderText(
  canvas: Canvas,
  { row, col, cols }: { readonly row: number; readonly col: number; readonly cols: number },
  text: string,
  style: Style,
): void {
  if (cols <= 0 || row < 0 || row >= canvas.size.rows) return;
  canvas.over(row, col, cols, text, style);
}

/** Returns the frame, as text, that tells a client its end. @param session the one that it showed; null for none */
export const lastFrameText = (session: TmuxSession | null, end: TmuxEnd): string =>
  tmuxFrameText({
    session: session?.name ?? '',
    size: { cols: 0, rows: 0 },
    full: false,
    rows: [],
    cursor: hiddenCursor,
    title: null,
    mouse: 'none',
    bells: 0,
    clipboard: null,
    suspends: false,
    locks: null,
    end,
  });

/** The picture that a client has. */
export class SentPictures {
  #last: { readonly size: Size; readonly rows: readonly string[]; readonly rest: string } | null =
    null;

  /** The client has lost its picture. */
  forget(): void {
    this.#last = null;
  }

  /** Returns the rows that another picture changes; null if it is the same. */
  changes(
    size: Size,
    { rows, cursor, title, mouse }: Composed,
  ): { readonly full: boolean; readonly rows: readonly FrameRow[] } | null {
    const last = this.#last;
    const full = last === null || last.size.cols !== size.cols || last.size.rows !== size.rows;
    const runs = rows.map(runsOfCells);
    const texts = runs.map((each) => JSON.stringify(each));
    const changed = runs.flatMap((each, row) =>
      !full && last.rows[row] === texts[row] ? [] : [{ row, runs: each }],
    );
    const rest = JSON.stringify([cursor, title, mouse]);
    if (changed.length === 0 && !full && rest === last.rest) return null;
    this.#last = { size, rows: texts, rest };
    return { full, rows: changed };
  }
}
