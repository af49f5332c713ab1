import type { Cell, Style } from '#model';
import { stateText } from '#model';
import type { Entry, OverviewModel, Preview } from '../model.ts';
import { driverText, nameText, saysText, sinceText } from './columns.ts';
import type { DrawnParts } from './drawn-parts.ts';
import type { Area } from './layout.ts';
import { clipped, type Span, span } from './spans.ts';
import { styles } from './styles.ts';

type Cells = readonly Cell[];

const none: Cells = [];

/** Returns the rows of the preview of the selected session; its first row is its head. */
export function previewRows(model: OverviewModel, area: Area, parts: DrawnParts): Cells[] {
  const entry = model.selected === null ? undefined : model.entries.get(model.selected);
  const head = parts.spans('preview head', headSpans(model, entry, area.cols), area.cols, 'dim');
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

function headSpans(model: OverviewModel, entry: Entry | undefined, cols: number): Span[] {
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

const inverted = (cell: Cell): Cell => ({ ...cell, style: invertedStyle(cell.style) });

const invertedStyles = new WeakMap<Style, Style>();

/** The same object for the same style, so that painting compares them quickly. */
function invertedStyle(style: Style): Style {
  const known = invertedStyles.get(style);
  if (known !== undefined) return known;
  const inverse = { ...style, inverse: !style.inverse };
  invertedStyles.set(style, inverse);
  return inverse;
}
