import { type Cell, type Cursor, plainStyle, type Style } from '#model';
import { textCells } from '#vt/widths';
import { type Box, Canvas } from '../drawing/canvas.ts';
import { digitCells } from '../drawing/digits.ts';
import { formatWidth } from '../drawing/draw-format.ts';
import { colourOf, styleOf } from '../drawing/styles.ts';
import type { FormatContext } from '../format/context.ts';
import { expand } from '../format/expand.ts';
import type { Place } from '../modes/copy-grid.ts';
import type { CopyMode } from '../modes/copy-mode.ts';
import { matchesOnRows } from '../modes/copy-search.ts';
import type { ListLine, ListMode, ListNode, ListOptions, NodeLine } from '../modes/list-mode.ts';
import type { Mode } from '../modes/pane-modes.ts';
import type { Selection } from '../modes/selection.ts';
import type { TmuxPane } from '../state/tmux-window.ts';
import type { SessionScreen } from './session-views.ts';

/** What a pane in a mode shows. */
export interface ModeView {
  readonly rows: readonly (readonly Cell[])[];
  /** In the pane; null hides it. */
  readonly cursor: Cursor | null;
}

/** What a mode is drawn with. */
export interface ModeScene {
  readonly about: FormatContext;
  /** What a pane shows, for the part below a list. */
  readonly screenOf: (paneId: number) => Promise<SessionScreen | null>;
}

const steady = { wrapPending: false, visible: true, shape: 'block', blinking: true } as const;

/** Draws the mode of a pane in place of its program. */
export async function modeView(pane: TmuxPane, mode: Mode, scene: ModeScene): Promise<ModeView> {
  const canvas = new Canvas({ cols: pane.cols, rows: pane.rows });
  const cursor = await drawMode(canvas, pane, mode, scene);
  return { rows: canvas.rows, cursor };
}

async function drawMode(
  canvas: Canvas,
  pane: TmuxPane,
  { copy, list, name }: Mode,
  scene: ModeScene,
): Promise<Cursor | null> {
  if (copy !== null) return drawCopy(canvas, pane, copy, scene);
  if (list !== null) return drawList(canvas, pane, list, scene);
  if (name === 'clock-mode') drawClock(canvas, pane, scene);
  return null;
}

const styleNamed = async (
  pane: TmuxPane,
  name: Parameters<TmuxPane['options']['text']>[0],
  { about }: ModeScene,
): Promise<Style> => styleOf(await expand(pane.options.text(name), about));

async function drawCopy(
  canvas: Canvas,
  pane: TmuxPane,
  copy: CopyMode,
  scene: ModeScene,
): Promise<Cursor> {
  const { grid, offset } = copy;
  const top = grid.above - offset;
  const style = await styleNamed(pane, 'mode-style', scene);
  for (let row = 0; row < canvas.size.rows; row++) {
    canvas.put(row, 0, grid.drawn(top + row).slice(0, canvas.size.cols));
  }
  if (copy.shown !== null) {
    const match = await styleNamed(pane, 'copy-mode-match-style', scene);
    const current = await styleNamed(pane, 'copy-mode-current-match-style', scene);
    const matches = matchesOnRows(grid, top, top + canvas.size.rows - 1, copy.shown);
    for (const { start, end } of matches) {
      const isCurrent = isWithin(copy.place, start, end);
      for (const place of placesBetween(start, end, grid.cols)) {
        restyle(canvas, place.y - top, place.x, isCurrent ? current : match);
      }
    }
  }
  if (copy.selection !== null) {
    const isIn = selectionTest(copy.selection, copy.isRectangle, {
      isVi: pane.options.text('mode-keys') === 'vi',
      cursor: copy.x,
    });
    for (let row = 0; row < canvas.size.rows; row++) {
      for (let col = 0; col < canvas.size.cols; col++) {
        if (isIn({ x: col, y: top + row })) restyle(canvas, row, col, style);
      }
    }
  }
  if (!copy.isPositionHidden) drawPosition(canvas, copy, style);
  const col = Math.min(copy.x, canvas.size.cols - 1);
  if (copy.x >= canvas.size.cols) canvas.text(copy.y, canvas.size.cols - 1, '$');
  return { ...steady, row: Math.min(copy.y, canvas.size.rows - 1), col };
}

function drawPosition(canvas: Canvas, { offset, grid, shown }: CopyMode, style: Style): void {
  const place = `[${offset}/${grid.above}]`;
  let text = place;
  if (shown !== null) {
    const { length } = matchesOnRows(grid, 0, grid.last, shown);
    text = `(${length} results) ${place}`;
  }
  const cells = textCells(text, style).slice(0, canvas.size.cols);
  canvas.put(0, canvas.size.cols - cells.length, cells);
}

function restyle(canvas: Canvas, row: number, col: number, style: Style): void {
  const cell = canvas.rows[row]?.[col];
  if (cell !== undefined && canvas.rows[row]) canvas.rows[row][col] = { ...cell, style };
}

const isWithin = ({ x, y }: Place, start: Place, end: Place): boolean =>
  (y > start.y || (y === start.y && x >= start.x)) && (y < end.y || (y === end.y && x < end.x));

function placesBetween(start: Place, end: Place, cols: number): Place[] {
  const places: Place[] = [];
  for (let { y } = start; y <= end.y; y++) {
    const from = y === start.y ? start.x : 0;
    const to = y === end.y ? end.x : cols;
    for (let x = from; x < to; x++) places.push({ x, y });
  }
  return places;
}

/**
 * Returns whether a place is selected, as `screen_check_selection` of tmux does: with emacs keys without the last one.
 *
 * @param isVi whether the last one is selected, too
 */
function selectionTest(
  { start, end, moves }: Selection,
  isRectangle: boolean,
  { isVi, cursor }: { readonly isVi: boolean; readonly cursor: number },
): (place: Place) => boolean {
  const isOrdered = start.y < end.y || (start.y === end.y && start.x <= end.x);
  const [first, last] = isOrdered ? [start, end] : [end, start];
  if (isRectangle) {
    const fixed = moves === 'end' ? start.x : end.x;
    const [left, right] = [Math.min(fixed, cursor), Math.max(fixed, cursor)];
    return ({ x, y }) => y >= first.y && y <= last.y && x >= left && x <= right;
  }
  const lastCol = isVi ? last.x : last.x - 1;
  return ({ x, y }) => {
    if (y < first.y || y > last.y) return false;
    if (y === first.y && x < first.x) return false;
    return y !== last.y || x <= lastCol;
  };
}

function drawClock(canvas: Canvas, pane: TmuxPane, { about }: ModeScene): void {
  const now = new Date(about.server.nowMs());
  const is12 = pane.options.text('clock-mode-style') === '12';
  const [hours, minutes] = [now.getHours(), now.getMinutes()];
  const two = (value: number) => String(value).padStart(2, '0');
  const hour = is12 ? hours % 12 || 12 : hours;
  const suffix = is12 ? (hours >= 12 ? ' PM' : ' AM') : '';
  const text = `${is12 ? hour : two(hour)}:${two(minutes)}${suffix}`;
  const colour = colourOf(pane.options.text('clock-mode-colour')) ?? null;
  const { cols, rows } = canvas.size;
  if (cols < text.length * 6 || rows < 6) {
    if (cols < text.length || rows === 0) return;
    canvas.text(rows >> 1, (cols - text.length) >> 1, text, { ...plainStyle, fg: colour });
    return;
  }
  const [left, top] = [(cols >> 1) - text.length * 3, (rows >> 1) - 3];
  for (const [at, character] of [...text].entries()) {
    for (const [y, x] of digitCells(character)) {
      canvas.text(top + y, left + at * 6 + x, ' ', { ...plainStyle, bg: colour });
    }
  }
}

async function drawList(
  canvas: Canvas,
  pane: TmuxPane,
  list: ListMode,
  scene: ModeScene,
): Promise<Cursor | null> {
  await list.read();
  const { cols, rows } = canvas.size;
  const { lines } = list;
  const height = list.hasPreview ? listHeight(rows, lines.length, list.options) : rows;
  list.show(height);
  const style = await styleNamed(pane, 'mode-style', scene);
  const { at } = list;
  for (const [row, line] of lines.slice(list.offset, list.offset + height).entries()) {
    drawListLine(canvas, row, line, list, list.offset + row === at ? style : null);
  }
  const node = list.selected;
  if (node === null || height >= rows) return null;
  const box = { row: height, col: 0, rows: rows - height, cols };
  canvas.box(box, 'single', plainStyle);
  drawListTitle(canvas, height, node, list, style);
  await drawPreview(canvas, height + 1, node, scene);
  return null;
}

/** Names what is selected, in the border below the list, with the order and the filter as far as there is room. */
function drawListTitle(
  canvas: Canvas,
  row: number,
  { name, title = name }: ListNode,
  { orderText, order, hasNoMatches }: ListMode,
  style: Style,
): void {
  const text = orderText === '' ? ` ${title}` : ` ${title} ${orderText}`;
  const room = canvas.size.cols - 2;
  if (text.length > room) return;
  canvas.text(row, 1, text);
  const state = hasNoMatches ? 'no matches' : 'active';
  const at = 1 + text.length;
  if (order.filter === null || room < text.length + 10 + state.length + 2) {
    canvas.text(row, at, ' ');
    return;
  }
  canvas.text(row, at, ' (filter: ');
  canvas.text(row, at + 10, state, hasNoMatches ? style : plainStyle);
  canvas.text(row, at + 10 + state.length, ') ');
}

/** How many rows a list has above the screen of what is selected. */
function listHeight(rows: number, count: number, { previewRows }: ListOptions): number {
  let height = Math.floor(rows / 3) * 2;
  if (height > count) height = Math.floor(rows / 2);
  if (previewRows !== undefined) height = rows > previewRows ? rows - previewRows : rows;
  return height < 10 || rows - height < 2 ? rows : height;
}

function drawListLine(
  canvas: Canvas,
  row: number,
  { node, depth, isLast, isFlat, areParentsLast, key }: ListLine,
  list: ListMode,
  chosen: Style | null,
): void {
  const { cols } = canvas.size;
  const base = chosen ?? plainStyle;
  const style = list.tagged.has(node.id) ? { ...base, bold: !base.bold } : base;
  if (chosen !== null) canvas.fill({ row, col: 0, rows: 1, cols }, chosen);
  const keyWidth = Math.max(...list.lines.map((line) => line.key.length)) + 3;
  const label = (key === '' ? '' : `(${key})`).padEnd(keyWidth);
  const indent = areParentsLast.slice(1).map((isLastOne) => (isLastOne ? '    ' : '│   '));
  const branch = depth === 0 ? '' : `${indent.join('')}${isLast ? '└─> ' : '├─> '}`;
  const ofParent = list.isOpen(node) ? '- ' : '+ ';
  const symbol = isFlat ? '' : node.children.length === 0 ? '  ' : ofParent;
  const tag = list.tagged.has(node.id) ? '*' : '';
  const end = node.text === null ? '' : ': ';
  const text = `${label}${branch}${symbol}${node.name}${tag}${end}`;
  const cells = textCells(text, style).slice(0, cols);
  canvas.put(row, 0, cells);
  const left = cols - cells.length;
  if (left > 0 && node.text !== null)
    canvas.format(row, cells.length, Math.min(left, formatWidth(node.text)), node.text, style);
}

/** The least columns of a screen below a list. */
const leastColumns = 24;

/** Draws what is selected below the list: the screens of panes beside each other, or lines of text. */
async function drawPreview(
  canvas: Canvas,
  row: number,
  { panes, lines }: ListNode,
  { screenOf, about }: ModeScene,
): Promise<void> {
  const { cols, rows } = canvas.size;
  const [width, height] = [cols - 4, rows - row - 1];
  const shown = lines.flatMap((line) => rowsOfLine(line, width)).slice(0, height);
  for (const [at, cells] of shown.entries()) canvas.put(row + at, 2, cells);
  const count = Math.min(panes.length, Math.max(1, Math.floor(width / leastColumns)));
  const current = panes.findIndex(({ isCurrent }) => isCurrent);
  const first = Math.max(0, Math.min(current - (count >> 1), panes.length - count));
  const each = Math.floor(width / Math.max(1, count));
  const { options } = about.session ?? {};
  for (const [at, { id, label, isCurrent }] of panes.slice(first, first + count).entries()) {
    const isLast = at === count - 1;
    const box = {
      row,
      col: 2 + at * each,
      rows: height,
      cols: isLast ? each : each - 1,
    };
    const screen = await screenOf(id);
    if (screen !== null) drawScreen(canvas, box, screen);
    const name = isCurrent ? 'display-panes-active-colour' : 'display-panes-colour';
    drawLabel(canvas, box, label, colourOf(options?.text(name) ?? 'default') ?? null);
    for (let line = 0; line < height && !isLast; line++) {
      canvas.text(row + line, box.col + box.cols, '│');
    }
  }
}

/** Returns the rows of a line below a list: a text is wrapped between its words, another line is cut. */
function rowsOfLine(line: string | NodeLine, width: number): readonly (readonly Cell[])[] {
  const text = typeof line === 'string' ? line : line.text;
  const printable = text.replaceAll('\t', '        ').replace(/[\x00-\x1f\x7f]/g, '');
  if (typeof line === 'string') return [textCells(printable, plainStyle).slice(0, width)];
  const rows: Cell[][] = [[]];
  for (const word of printable.split(/(?<= )/)) {
    const cells = textCells(word, plainStyle);
    const last = rows.at(-1) ?? [];
    const isFull =
      last.length > 0 && last.length + cells.length - Number(word.endsWith(' ')) > width;
    const row = isFull ? [] : last;
    if (isFull) rows.push(row);
    for (let from = 0; from < cells.length; from += width) {
      if (from > 0) rows.push([]);
      rows.at(-1)?.push(...cells.slice(from, from + width));
    }
  }
  if (line.example !== '') rows.at(-1)?.push(...textCells('EXAMPLE', styleOf(line.example)));
  return rows.map((row) => row.slice(0, width));
}

/** Draws the part of a screen around its cursor, which is in reverse video. */
function drawScreen(canvas: Canvas, box: Box, { size, rows, cursor }: SessionScreen): void {
  const begin = (at: number, shown: number, total: number) => {
    const third = Math.floor(shown / 3);
    const from = at < third ? 0 : at - third;
    return from + shown <= total ? from : Math.max(0, total - shown);
  };
  const top = cursor.visible ? begin(cursor.row, box.rows, size.rows) : 0;
  const left = cursor.visible ? begin(cursor.col, box.cols, size.cols) : 0;
  for (const [at, cells] of rows.slice(top, top + box.rows).entries()) {
    canvas.put(box.row + at, box.col, cells.slice(left, left + box.cols));
  }
  if (!cursor.visible) return;
  const [row, col] = [box.row + cursor.row - top, box.col + cursor.col - left];
  const cell = canvas.rows[row]?.[col];
  if (cell !== undefined) restyle(canvas, row, col, { ...cell.style, inverse: true });
}

function drawLabel(canvas: Canvas, box: Box, label: string, colour: Style['fg']): void {
  const { length } = label;
  if (label === '' || box.rows <= 1 || length > box.cols) return;
  const [x, y] = [(box.cols - length + 1) >> 1, (box.rows + 1) >> 1];
  const [row, col] = [box.row + y, box.col + x];
  if (x > 1 && x + length < box.cols - 1 && box.rows >= 3) {
    canvas.box({ row: row - 1, col: col - 1, rows: 3, cols: length + 2 }, 'single', plainStyle);
  }
  canvas.text(row, col, label, { ...plainStyle, fg: colour });
}
