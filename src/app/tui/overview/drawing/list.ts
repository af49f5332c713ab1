import type { Cell } from '#model';
import { withTilde } from '#model';
import type { Entry, Find, Mode, OverviewModel } from '../model.ts';
import { columnsFor, entrySpans, headSpans, nameText } from './columns.ts';
import type { DrawnParts } from './drawn-parts.ts';
import type { Layout } from './layout.ts';
import { type Span, span } from './spans.ts';

type Cells = readonly Cell[];

/** Returns the rows of the list by the row of the window, with their heads. */
export function listRows(
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
    if (row.type === 'directory') {
      add(list.row + index, [span(` ${withTilde(row.path, model.home)}`, 'bold')]);
    } else {
      const isSelected = row.entry.key === model.selected;
      const spans = entrySpans(model, row.entry, columns);
      add(list.row + index, spans, isSelected ? 'selected' : 'plain');
    }
  }
  if (model.rows.length === 0) add(list.row, [span(`  ${emptyText(model)}`, 'dim')]);
  return drawn;
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
