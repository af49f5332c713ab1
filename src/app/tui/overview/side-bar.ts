import { type Cell, needsText, stateText } from '#model';
import { focusedPane, type Panes, paneIds } from '../panes/panes.ts';
import { lostSpans } from './bars.ts';
import { nameText, saysText, signs, stateStyles } from './columns.ts';
import { layoutOf } from './layout.ts';
import type { Entry, ListRow, OverviewModel } from './model.ts';
import { keyOfPane } from './opening.ts';
import { groupText, passesFilter } from './rows.ts';
import { type DrawnParts, type Span, type StyleName, span } from './spans.ts';
import { shownKeyOf } from './tmux-sessions.ts';

/** The sessions that panes show: the numbers of the panes, by the keys of the sessions. */
function paneNumbers(panes: Panes): ReadonlyMap<string, number> {
  const numbers = paneIds(panes).flatMap((id, at): [string, number][] => {
    const pane = panes.byId.get(id);
    const key = pane === undefined ? null : keyOfPane(pane);
    return key === null ? [] : [[key, at + 1]];
  });
  return new Map(numbers);
}

/**
 * Returns the rows of the side bar: projects with what their sessions need, and the sessions with what each asks.
 *
 * @param cols its width; it has all rows of the window
 */
export function sideBarRows(
  model: OverviewModel,
  panes: Panes,
  cols: number,
  parts: DrawnParts,
): (readonly Cell[])[] {
  const { list, lost } = layoutOf(model);
  const numbers = paneNumbers(panes);
  const focus = focusedPane(panes);
  const focusKey = focus === undefined ? null : shownKeyOf(model, focus);
  const shown = model.rows.slice(model.top, model.top + list.rows);
  return Array.from({ length: model.size.rows }, (_, at) => {
    const row = shown[at - list.row];
    const draw = (spans: readonly Span[], fill: StyleName = 'plain') =>
      parts.spans(`bar ${at}`, spans, cols, fill);
    if (at === 0) return draw(titleOf(model));
    if (lost.rows > 0 && at === lost.row) return draw(lostSpans(model));
    if (at < list.row || row === undefined) return draw([]);
    if (row.type === 'group') return draw(projectSpans(model, row, cols));
    const { key } = row.entry;
    const isSelected = model.hasBarKeys && key === model.selected;
    const facts = { number: numbers.get(key), hasFocus: key === focusKey, isSelected };
    return draw(sessionSpans(model, row.entry, cols, facts), isSelected ? 'selected' : 'plain');
  });
}

function titleOf(model: OverviewModel): Span[] {
  const infos = [...model.entries.values()].map(({ info }) => info);
  const wanting = infos.filter((info) => passesFilter('wanting', info)).length;
  const filter = [
    model.states === 'all' ? '' : `only ${model.states}`,
    model.query === '' ? '' : `/${model.query}`,
  ].filter((each) => each !== '');
  return [
    span(` ${model.layoutName ?? 'vtr'} `, 'bold'),
    ...(wanting > 0 ? [span(` ${wanting} want${wanting === 1 ? 's' : ''} you`, 'question')] : []),
    ...filter.map((each) => span(` ${each}`, 'told')),
  ];
}

/** A project: its directory with the branch, or its label, and what its sessions need, the most urgent first. */
function projectSpans(
  model: OverviewModel,
  row: ListRow & { readonly type: 'group' },
  cols: number,
): Span[] {
  const text = groupText(model, row);
  const needs = needsText(row.infos);
  const room = Math.max(1, cols - needs.length - 3);
  const { tmux } = row;
  const place: Span =
    tmux === undefined
      ? { text: ` ${text}`, style: 'bold', keep: 'end' }
      : { text: `${tmux.isWindow ? '  ' : ' '}${text}`, style: tmux.isWindow ? 'plain' : 'bold' };
  return [
    place.text.length > room ? { ...place, cols: room } : place,
    span(`  ${needs}`, needs.includes('asks') ? 'question' : 'dim'),
  ];
}

interface SessionFacts {
  /** Of the pane that shows it. */
  readonly number: number | undefined;
  readonly hasFocus: boolean;
  readonly isSelected: boolean;
}

/** The columns left of a name. */
const markCols = 4;
const nameCols = 16;

function sessionSpans(
  model: OverviewModel,
  entry: Entry,
  cols: number,
  { number, hasFocus, isSelected }: SessionFacts,
): Span[] {
  const { attention, agent, state } = entry.info;
  const [sign, wanting] = attention === undefined ? [' ', null] : signs[attention.kind];
  const stateStyle =
    state === 'exited' ? 'dim' : agent === undefined ? 'dim' : stateStyles[agent.state];
  const style = (usual: StyleName): StyleName => (isSelected ? 'selected' : usual);
  const isMarked = model.marked.has(entry.key);
  const says = attention === undefined ? stateText(entry.info) : saysText(entry, model);
  const end = number === undefined ? '' : ` ${number}`;
  const name = nameText(entry, model);
  const room = Math.max(1, cols - markCols - end.length);
  const nameRoom = Math.min(name.length, nameCols, room);
  return [
    { text: isSelected ? '>' : hasFocus ? '▌' : ' ', style: style('focus') },
    { text: isMarked ? '*' : ' ', style: style('question') },
    { text: sign, style: style(wanting ?? 'plain') },
    { text: ' ', style: style('plain') },
    { text: name, style: style(hasFocus ? 'focus' : (wanting ?? 'plain')), cols: nameRoom },
    {
      text: room - nameRoom > 2 ? ` ${says || stateText(entry.info)}` : '',
      style: style(wanting ?? stateStyle),
      cols: room - nameRoom,
    },
    { text: end, style: style(hasFocus ? 'focus' : 'dim') },
  ];
}
