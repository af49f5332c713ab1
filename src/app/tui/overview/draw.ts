import { type Cell, type Cursor, needsText, plainStyle, stateText } from '#model';
import type { Picture } from '#tty';
import { textCells } from '#vt';
import { detailSpans, footerOf, helpLines, lostSpans, titleSpans } from './bars.ts';
import {
  columnsFor,
  driverText,
  entrySpans,
  headSpans,
  nameText,
  saysText,
  sinceText,
} from './columns.ts';
import { type Area, type Layout, layoutOf, showsPanes } from './layout.ts';
import type { Entry, Find, ListRow, Mode, OverviewModel, Preview } from './model.ts';
import { type PictureOf, paneCursor, panesRows, panesTitle } from './panes-picture.ts';
import { groupText } from './rows.ts';
import { clipped, DrawnParts, inverted, type Span, span, styles } from './spans.ts';

type Cells = readonly Cell[];

/**
 * Returns the picture of the overview, for any model and size.
 *
 * @param parts of the picture before: rows that did not change are the same arrays as there
 * @param pictureOf what the panes show
 */
export function draw(
  model: OverviewModel,
  parts: DrawnParts = new DrawnParts(),
  pictureOf: PictureOf = () => null,
): Picture {
  parts.turn();
  const { panes, size, mode } = model;
  const shown = { size, title: 'vtr ui', reverseVideo: false, cursor: cursorOf(model) };
  if (mode.type === 'help') return { ...shown, rows: helpRows(model, parts) };
  if (panes === null || !showsPanes(model)) return { ...shown, rows: mainRows(model, parts) };
  return {
    ...shown,
    rows: panesRows(model, panes, pictureOf, parts),
    title: panesTitle(panes, pictureOf),
    cursor: paneCursor(model, panes, pictureOf) ?? shown.cursor,
  };
}

function mainRows(model: OverviewModel, parts: DrawnParts): Cells[] {
  const { size } = model;
  const layout = layoutOf(model);
  const { list, detail, lost, preview } = layout;
  const left = listRows(model, layout, parts);
  const put = (row: number, spans: readonly Span[], cols: number) =>
    left.set(row, parts.spans(`row ${row}`, spans, cols));
  for (const [index, spans] of detailSpans(model).slice(0, detail.rows).entries()) {
    put(detail.row + index, spans, detail.cols);
  }
  if (lost.rows > 0) put(lost.row, lostSpans(model), lost.cols);
  const right = preview === null ? [] : previewRows(model, preview, parts);
  const rows: Cells[] = [];
  for (let row = 0; row < size.rows; row++) rows.push(rowAt(row));
  if (layout.hasTitle) rows[0] = parts.spans('title', titleSpans(model), size.cols);
  if (layout.hasFooter) {
    rows[size.rows - 1] = parts.spans('footer', footerOf(model).spans, size.cols);
  }
  return rows;

  function rowAt(row: number): Cells {
    const beside = preview === null ? undefined : right[row - preview.row];
    if (preview === null || beside === undefined || preview.col === 0) {
      return beside ?? left.get(row) ?? parts.spans(`row ${row}`, [], size.cols);
    }
    const own = left.get(row) ?? parts.spans(`row ${row}`, [], list.cols);
    return parts.of(`both ${row}`, [own, beside], () => [...own, edge, ...beside]);
  }
}

const edge: Cell = { text: '│', width: 1, style: { ...plainStyle, dim: true } };

function helpRows(model: OverviewModel, parts: DrawnParts): Cells[] {
  const { size, mode } = model;
  const top = mode.type === 'help' ? mode.top : 0;
  const lines = helpLines(model);
  return Array.from({ length: size.rows }, (_, row) => {
    const isFooter = row === size.rows - 1 && size.rows > 1;
    const spans = isFooter ? footerOf(model).spans : (lines[top + row] ?? []);
    return parts.spans(`help ${row}`, spans, size.cols);
  });
}

/** The cursor of the line that is edited; hidden if there is none. */
function cursorOf(model: OverviewModel): Cursor {
  const { size } = model;
  const before = footerOf(model).beforeCursor;
  const cols = (before ?? []).reduce(
    (sum, { text }) => sum + textCells(text, plainStyle).length,
    0,
  );
  return {
    row: size.rows - 1,
    col: Math.min(cols, size.cols - 1),
    wrapPending: false,
    visible: before !== undefined && size.rows > 1,
    shape: 'bar',
    blinking: false,
  };
}

/** Returns the rows of the list by the row of the window, with their heads. */
function listRows(
  model: OverviewModel,
  { list, hasHeads }: Layout,
  parts: DrawnParts,
): Map<number, Cells> {
  const drawn = new Map<number, Cells>();
  const add = (row: number, spans: readonly Span[], fill: 'plain' | 'selected' = 'plain') =>
    drawn.set(row, parts.spans(`list ${row}`, spans, list.cols, fill));
  if (list.rows === 0) return drawn;
  if (model.mode.type === 'found') {
    foundRows(model, model.mode, { list, hasHeads }, add);
    return drawn;
  }
  const shown = model.rows.slice(model.top, model.top + list.rows);
  const entries = shown.flatMap((row): Entry[] => (row.type === 'session' ? [row.entry] : []));
  const columns = columnsFor(model, entries, list.cols);
  if (hasHeads && entries.length > 0) add(list.row - 1, headSpans(columns));
  for (const [index, row] of shown.entries()) {
    if (row.type === 'group') add(list.row + index, groupSpans(model, row));
    else {
      const isSelected = row.entry.key === model.selected;
      const spans = entrySpans(model, row.entry, columns);
      add(list.row + index, spans, isSelected ? 'selected' : 'plain');
    }
  }
  if (model.rows.length === 0) add(list.row, [span(`  ${emptyText(model)}`, 'dim')]);
  return drawn;
}

/** The head of a group: its name, and what its sessions need or do. */
function groupSpans(model: OverviewModel, row: ListRow & { type: 'group' }): Span[] {
  return [span(` ${groupText(model, row)}`, 'bold'), span(`  ${needsText(row.infos)}`, 'dim')];
}

function emptyText({ entries, links, query, states }: OverviewModel): string {
  if (entries.size > 0) {
    return `none of ${entries.size} sessions ${query === '' ? `is ${states}` : 'matches'}; Esc lists all`;
  }
  if (links.some(({ state }) => state === 'connecting')) return 'looking for sessions …';
  return 'no sessions; c starts a shell';
}

type Add = (row: number, spans: readonly Span[], fill?: 'plain' | 'selected') => void;

function foundRows(
  model: OverviewModel,
  { finds, at }: Mode & { type: 'found' },
  { list, hasHeads }: Pick<Layout, 'list' | 'hasHeads'>,
  add: Add,
): void {
  if (hasHeads) add(list.row - 1, [span('  LINES THAT MATCH', 'dim')]);
  const top = Math.max(0, Math.min(at - Math.floor(list.rows / 2), finds.length - list.rows));
  for (const [index, find] of finds.slice(top, top + list.rows).entries()) {
    const isSelected = top + index === at;
    add(list.row + index, findSpans(model, find, isSelected), isSelected ? 'selected' : 'plain');
  }
}

function findSpans(model: OverviewModel, find: Find, isSelected: boolean): Span[] {
  const entry = model.entries.get(find.key);
  const place = entry === undefined ? '?' : `${nameText(entry, model)}:${find.line}`;
  const plain = isSelected ? 'selected' : 'plain';
  // The match is in view: what is left of it is cut.
  const start = Math.max(0, find.start - 30);
  return [
    { text: isSelected ? '> ' : '  ', style: plain },
    { text: place, style: isSelected ? 'selectedBold' : 'told' },
    { text: start > 0 ? '  …' : '  ', style: plain },
    { text: find.text.slice(start, find.start), style: plain },
    { text: find.text.slice(find.start, find.end), style: isSelected ? 'selectedBold' : 'match' },
    { text: find.text.slice(find.end), style: plain },
  ];
}

const none: Cells = [];

/** Returns the rows of the preview of the selected session; its first row is its head. */
function previewRows(model: OverviewModel, area: Area, parts: DrawnParts): Cells[] {
  const entry = model.selected === null ? undefined : model.entries.get(model.selected);
  const head = parts.spans('preview head', previewHead(model, entry, area.cols), area.cols, 'dim');
  const { preview } = model;
  const shown = entry !== undefined && preview?.key === entry.key ? preview : null;
  const rows: Cells[] = [head];
  const contentRows = area.rows - 1;
  const top = shown === null ? 0 : firstRow(shown, contentRows);
  for (let index = 0; index < contentRows; index++) {
    rows.push(contentRow(shown, top + index, index, area.cols, parts));
  }
  return rows;
}

function previewHead(model: OverviewModel, entry: Entry | undefined, cols: number): Span[] {
  const line = { text: '─'.repeat(cols), style: 'dim', keep: 'clip' } as const;
  if (entry === undefined) return [line];
  const { info } = entry;
  const says = info.attention === undefined ? '' : saysText(entry, model);
  const driver = driverText(entry);
  const viewers = info.viewers?.length ?? 0;
  const facts = [
    ...(info.id === model.ownId ? ['you are in this session'] : []),
    `${stateText(info)} ${sinceText(entry, model)}`,
    ...(says === '' ? [] : [says]),
    ...(driver === '' ? [] : [`${driver} drives`]),
    ...(viewers === 0 ? [] : [`${viewers} watching`]),
    `${info.size.cols}x${info.size.rows}`,
    ...(info.title === '' ? [] : [info.title]),
  ];
  return [
    span('─ ', 'dim'),
    span(nameText(entry, model), 'bold'),
    span(` ${facts.join(' · ')} `, info.attention === undefined ? 'plain' : 'question'),
    line,
  ];
}

/** The rows around the cursor are shown where not all fit. */
function firstRow({ size, cursor, rows }: Preview, visible: number): number {
  if (size.rows <= visible) return 0;
  const last = cursor.visible ? cursor.row : rows.length - 1;
  return Math.max(0, Math.min(last - visible + 1, size.rows - visible));
}

function contentRow(
  preview: Preview | null,
  row: number,
  index: number,
  cols: number,
  parts: DrawnParts,
): Cells {
  const place = `preview ${index}`;
  if (preview === null) return parts.spans(place, [], cols);
  const { size, cursor, modes } = preview;
  const cells = preview.rows[row] ?? none;
  if (row >= size.rows) {
    // The lower edge of a session that is smaller than the preview.
    const isEdge = row === size.rows && size.cols < cols;
    const edge = isEdge ? `${'─'.repeat(size.cols)}┘` : row === size.rows ? '─'.repeat(cols) : '';
    return parts.spans(place, [span(edge, 'dim')], cols);
  }
  const cursorCol = cursor.visible && cursor.row === row ? cursor.col : -1;
  return parts.of(place, [cells, cols, cursorCol, modes.reverseVideo, size.cols], () => {
    const shown = clipped(cells, 0, Math.min(cols, size.cols));
    const marked = shown.map((cell, col) =>
      modes.reverseVideo !== (col === cursorCol) ? inverted(cell) : cell,
    );
    while (marked.length < cols) {
      const isEdge = marked.length === size.cols;
      marked.push({ text: isEdge ? '│' : ' ', width: 1, style: styles[isEdge ? 'dim' : 'plain'] });
    }
    return marked;
  });
}
