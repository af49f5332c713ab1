import { type Cell, type Cursor, needsText, stateText } from '#model';
import type { Picture } from '#tty';
import {
  focusedPane,
  type Pane,
  type Panes,
  paneIds,
  type SeenPane,
  seenPanes,
} from '../panes/panes.ts';
import { footerOf } from './bars.ts';
import { saysText } from './columns.ts';
import { type Area, panesLayoutOf } from './layout.ts';
import type { Menu, OverviewModel } from './model.ts';
import { keyOfPane, showsItself } from './opening.ts';
import { menuArea } from './panes-mouse.ts';
import { sideBarRows } from './side-bar.ts';
import {
  clipped,
  type DrawnParts,
  inverted,
  type Span,
  type StyleName,
  span,
  styles,
} from './spans.ts';
import { tabSpots } from './tab-row.ts';
import { infosOf, tmuxNames } from './tmux-sessions.ts';

type Cells = readonly Cell[];

/** Returns what a pane shows; null before its first picture. */
export type PictureOf = (pane: number) => Picture | null;

/** Returns the rows of a window with panes: the side bar, the panes, and what is shown over them. */
export function panesRows(
  model: OverviewModel,
  panes: Panes,
  pictureOf: PictureOf,
  parts: DrawnParts,
): Cells[] {
  const { size, menu } = model;
  const { bar, tabs, space } = panesLayoutOf(model);
  const visible = seenPanes(panes, space).map((each) => ({ ...each, picture: pictureOf(each.id) }));
  const left = bar === null ? null : sideBarRows(model, panes, bar.cols, parts);
  const rows: Cells[] = [];
  for (let row = 0; row < size.rows; row++) {
    const right =
      row === tabs?.row
        ? tabCells(model, tabs.cols, parts)
        : spaceRow({ model, panes, parts, space, shown: visible }, row);
    const own = left?.[row];
    rows.push(
      own === undefined
        ? right
        : parts.of(`both ${row}`, [own, right], () => [
            ...own,
            edgeOf(visible, row - space.row),
            ...right,
          ]),
    );
  }
  if (hasFooter(model)) {
    rows[size.rows - 1] = parts.spans('footer', footerOf(model).spans, size.cols);
  }
  return menu === null ? rows : withMenu(rows, menu, model, parts);
}

const tabCells = (model: OverviewModel, cols: number, parts: DrawnParts): Cells =>
  parts.spans(
    'tabs',
    tabSpots(model, cols).flatMap(({ spans }) => spans),
    cols,
  );

/** Whether the last row has something to say, over the panes. */
const hasFooter = ({ mode, notice, hasBarKeys, leading }: OverviewModel): boolean =>
  mode.type !== 'list' ||
  notice !== null ||
  hasBarKeys ||
  leading?.type === 'resize' ||
  (leading?.type === 'leader' && leading.sequence.length > 0);

interface ShownPane extends SeenPane {
  readonly picture: Picture | null;
}

interface Scene {
  readonly model: OverviewModel;
  readonly panes: Panes;
  readonly parts: DrawnParts;
  readonly space: Area;
  readonly shown: readonly ShownPane[];
}

/** Returns a row of the panes and of the borders between them. The row above the space has titles. */
function spaceRow(scene: Scene, row: number): Cells {
  const { model, panes, parts, space, shown } = scene;
  const y = row - space.row;
  const pieces = shown.flatMap((pane): { x: number; cells: Cells }[] => {
    const { x, cols, id } = pane;
    if (y === pane.y - 1) {
      const spans = titleSpans(model, panes, id, cols);
      return [{ x, cells: parts.spans(`title ${id}`, spans, cols) }];
    }
    if (y < pane.y || y >= pane.y + pane.rows) return [];
    return [{ x, cells: contentRow(scene, pane, y - pane.y) }];
  });
  const key = [
    panes.layout,
    panes.focus,
    panes.isZoomed,
    space.cols,
    ...pieces.map(({ cells }) => cells),
  ];
  return parts.of(`space ${row}`, key, () => {
    const cells = Array.from({ length: space.cols }, (): Cell | undefined => undefined);
    for (const { x, cells: piece } of pieces) {
      for (const [at, cell] of piece.entries()) if (x + at < space.cols) cells[x + at] = cell;
    }
    return cells.map((cell, x) => cell ?? borderCell(shown, panes.focus, x, y));
  });
}

function contentRow({ model, panes, parts }: Scene, pane: ShownPane, row: number): Cells {
  const { id, cols, picture } = pane;
  const place = `pane ${id} ${row}`;
  const cells = picture?.rows[row];
  if (picture === null || cells === undefined) {
    const text = picture === null ? emptyText(model, panes.byId.get(id)) : '';
    return parts.spans(place, [span(text.slice(row * cols, (row + 1) * cols), 'dim')], cols);
  }
  const { reverseVideo } = picture;
  if (cells.length === cols && !reverseVideo) return cells;
  return parts.of(place, [cells, cols, reverseVideo], () => {
    const shown = clipped(cells, 0, cols);
    while (shown.length < cols) shown.push({ text: ' ', width: 1, style: styles.plain });
    return reverseVideo ? shown.map(inverted) : shown;
  });
}

/** What a pane says that shows no session. */
function emptyText(model: OverviewModel, pane: Pane | undefined): string {
  if (pane === undefined) return '';
  const { links } = model;
  const { session, target, problem } = pane;
  if (problem !== '') {
    const isTmux = session.tmux !== undefined;
    return `${problem}: Enter ${isTmux ? 'attaches to the session, or makes it' : 'tries again'}`;
  }
  if (target !== null) return showsItself(model, pane) ? 'this is the session you are in' : '';
  if (session.tmux === '' && !links.some(({ state }) => state === 'connecting')) {
    const names = tmuxNames(model);
    const others = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`;
    return `there is no session ${session.name} of tmux; ${others}`;
  }
  const link = links.find(({ name }) => name === session.coordinator);
  if (link?.state === 'connecting') return `looking for ${session.name} …`;
  if (link === undefined) return `${session.coordinator}:${session.name} is not known`;
  if (link.state === 'lost' && link.reason !== '') return `${link.name} does not answer`;
  return `there is no session ${session.name}: Enter starts a shell of that name`;
}

function titleSpans(model: OverviewModel, panes: Panes, id: number, cols: number): Span[] {
  const pane = panes.byId.get(id);
  const key = pane === undefined ? null : keyOfPane(pane);
  const entry = key === null ? undefined : model.entries.get(key);
  const number = paneIds(panes).indexOf(id) + 1;
  const hasFocus = id === panes.focus;
  const line: StyleName = hasFocus ? 'focus' : 'dim';
  const says = entry?.info.attention === undefined ? '' : saysText(entry, model);
  const ofTmux = pane?.session.tmux !== undefined;
  const name = `${ofTmux ? 'tmux' : number} ${pane?.session.name ?? ''}`;
  const state = ofTmux
    ? needsText(infosOf(model, pane))
    : entry === undefined
      ? ''
      : stateText(entry.info);
  const { leading, keys } = model;
  return [
    span('─', line),
    span(` ${name} `, hasFocus ? 'selectedBold' : 'bold'),
    ...(panes.marked.has(id) ? [span(' shared input ', 'driver')] : []),
    ...hiddenSpans(model, panes),
    ...(hasFocus && leading?.type === 'leader' ? [span(` ${keys.leaderLabel} … `, 'told')] : []),
    ...(says === ''
      ? [span(state === '' ? '' : ` ${state} `, 'dim')]
      : [span(` ${says} `, 'question')]),
    { text: '─'.repeat(cols), style: line, keep: 'clip' },
  ];
}

/** Tells that panes are not seen: by the zoom, or because the window is small. */
function hiddenSpans(model: OverviewModel, panes: Panes): Span[] {
  const all = panes.byId.size;
  const isAlone = seenPanes(panes, panesLayoutOf(model).space).length === 1;
  if (all < 2 || !isAlone) return [];
  return [span(panes.isZoomed ? ` zoomed, ${all - 1} hidden ` : ` 1 of ${all} shown `, 'told')];
}

/** The edge of the side bar, which meets the borders between panes. */
const edgeOf = (places: readonly SeenPane[], y: number): Cell => {
  const isMet = places.some((pane) => pane.x === 0 && pane.y > 0 && pane.y - 1 === y);
  return isMet ? metEdge : barEdge;
};
const barEdge: Cell = { text: '│', width: 1, style: styles.dim };
const metEdge: Cell = { ...barEdge, text: '├' };

/** Box drawing by which neighbours are borders, too: up 1, down 2, left 4, right 8. */
const glyphs = ' │││─┘┐┤─└┌├─┴┬┼';

/** The cell of a border; green beside the pane with the focus. */
function borderCell(places: readonly ShownPane[], focus: number, x: number, y: number): Cell {
  const isBorder = (col: number, row: number) =>
    !places.some(
      ({ x: left, y: top, cols, rows }) =>
        col >= left && col < left + cols && row >= top && row < top + rows,
    );
  const width = Math.max(...places.map((each) => each.x + each.cols), 0);
  const height = Math.max(...places.map((each) => each.y + each.rows), 0);
  const isLine = (col: number, row: number) =>
    col >= 0 && col < width && row >= -1 && row < height && isBorder(col, row);
  const bits =
    (isLine(x, y - 1) ? 1 : 0) |
    (isLine(x, y + 1) ? 2 : 0) |
    (isLine(x - 1, y) ? 4 : 0) |
    (isLine(x + 1, y) ? 8 : 0);
  const own = places.find(({ id }) => id === focus);
  const isBeside =
    own !== undefined &&
    x >= own.x - 1 &&
    x <= own.x + own.cols &&
    y >= own.y - 1 &&
    y <= own.y + own.rows;
  return { text: glyphs[bits] ?? ' ', width: 1, style: styles[isBeside ? 'focus' : 'dim'] };
}

/** Returns rows with a menu over them. */
function withMenu(rows: Cells[], menu: Menu, model: OverviewModel, parts: DrawnParts): Cells[] {
  const area = menuArea(menu, model.size);
  const inner = area.cols - 2;
  const lineOf = (at: number): readonly Span[] => {
    if (at === 0) return [span(`┌${'─'.repeat(inner)}┐`, 'told')];
    if (at === area.rows - 1) return [span(`└${'─'.repeat(inner)}┘`, 'told')];
    const style: StyleName = at - 1 === menu.selected ? 'selected' : 'plain';
    const text = ` ${menu.items[at - 1]?.label ?? ''}`;
    return [span('│', 'told'), { text, style, cols: inner }, span('│', 'told')];
  };
  return rows.map((row, at) => {
    const line = at - area.row;
    if (line < 0 || line >= area.rows) return row;
    const cells = parts.spans(`menu ${line}`, lineOf(line), area.cols);
    return parts.of(`over ${at}`, [row, cells, area.col], () =>
      [
        ...clipped(row, 0, area.col),
        ...cells,
        ...clipped(row, area.col + area.cols, row.length),
      ].slice(0, model.size.cols),
    );
  });
}

/** Returns the cursor of the pane with the focus; null where the keys are for something else. */
export function paneCursor(
  model: OverviewModel,
  panes: Panes,
  pictureOf: PictureOf,
): Cursor | null {
  const { mode, menu, hasBarKeys, size } = model;
  if (mode.type !== 'list' || menu !== null || hasBarKeys) return null;
  const { space } = panesLayoutOf(model);
  const pane = seenPanes(panes, space).find(({ id }) => id === panes.focus);
  const cursor = pane === undefined ? undefined : pictureOf(pane.id)?.cursor;
  if (pane === undefined || cursor === undefined) return null;
  const row = space.row + pane.y + Math.min(cursor.row, pane.rows - 1);
  const col = space.col + pane.x + Math.min(cursor.col, pane.cols - 1);
  const wrapPending = cursor.wrapPending && col === size.cols - 1;
  return {
    ...cursor,
    row: Math.min(row, size.rows - 1),
    col: Math.min(col, size.cols - 1),
    wrapPending,
  };
}

/** Returns the title of the window: that of the session with the focus. */
export const panesTitle = (panes: Panes, pictureOf: PictureOf): string => {
  const focus = focusedPane(panes);
  const title = focus === undefined ? null : (pictureOf(focus.id)?.title ?? focus.session.name);
  return title ?? 'vtr ui';
};
