import { type Cell, type Cursor, plainStyle } from '#model';
import type { Picture } from '#tty';
import { textCells } from '#vt';
import type { OverviewModel } from '../model.ts';
import { detailSpans, footerOf, lostSpans, titleSpans } from './bars.ts';
import { DrawnParts } from './drawn-parts.ts';
import { layoutOf } from './layout.ts';
import { listRows } from './list.ts';
import { previewRows } from './preview.ts';
import { type Span, span } from './spans.ts';

type Cells = readonly Cell[];

/**
 * Returns the picture of the overview, for any model and size.
 *
 * @param parts of the picture before: rows that did not change are the same arrays as there
 */
export function draw(model: OverviewModel, parts: DrawnParts = new DrawnParts()): Picture {
  parts.turn();
  const rows = model.mode.type === 'help' ? helpRows(model, parts) : mainRows(model, parts);
  return {
    size: model.size,
    rows,
    cursor: cursorOf(model),
    title: 'vtr ui',
    reverseVideo: false,
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
  const lines: Span[][] = [
    [span(' vtr ui: all sessions, those that want somebody first', 'bold')],
    [],
    ...model.keys
      .help('ui')
      .map(({ keys, does }): Span[] => [{ text: ` ${keys}`, style: 'bold', cols: 15 }, span(does)]),
  ];
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
