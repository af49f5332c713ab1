import { durationText } from '#base';
import {
  type AgentState,
  type AttentionKind,
  agentQuestion,
  commandText,
  directoryOf,
  stateSinceMs,
  stateText,
  withBranch,
  withTilde,
} from '#model';
import type { Entry, OverviewModel } from './model.ts';
import type { Span, StyleName } from './spans.ts';

type ColumnName = 'name' | 'state' | 'since' | 'driver' | 'command' | 'directory' | 'says';

/** A column of the list with its width. */
interface Column {
  readonly name: ColumnName;
  readonly cols: number;
}

const heads: Readonly<Record<ColumnName, string>> = {
  name: 'SESSION',
  state: 'STATE',
  since: 'FOR',
  driver: 'DRIVER',
  command: 'COMMAND',
  directory: 'DIRECTORY',
  says: 'SAYS',
};

/** The marks left of the name. */
const marksCols = 4;
/** The order in which columns are shown. */
const shownOrder: readonly ColumnName[] = [
  ...['name', 'state', 'since', 'driver', 'command', 'directory', 'says'],
] as ColumnName[];
const stateCols = 14;

/** Returns the columns that fit, the most important first to get their room. */
export function columnsFor(
  model: OverviewModel,
  entries: readonly Entry[],
  cols: number,
): Column[] {
  const room = cols - marksCols;
  const wide = (column: ColumnName, most: number) =>
    Math.min(Math.max(heads[column].length, longest(entries, column, model)), most);
  const name = Math.max(1, Math.min(wide('name', cols < 60 ? 14 : 24), room));
  const widths = new Map<ColumnName, number>([['name', name]]);
  let left = room - name;
  const give = (column: ColumnName, most: number, least = most) => {
    const width = Math.min(most, left - 1);
    if (width < Math.min(most, least)) return;
    widths.set(column, width);
    left -= width + 1;
  };
  give('state', stateCols);
  give('says', 14, 10);
  give('since', 4);
  if (entries.some((entry) => driverText(entry) !== '')) give('driver', wide('driver', 12));
  // What it says is seen as far as possible before the command is.
  const reserved = widths.has('says') ? Math.min(left, 10) : 0;
  left -= reserved;
  give('command', wide('command', 30), 10);
  give('directory', wide('directory', 30), 10);
  const says = widths.get('says');
  if (says !== undefined) widths.set('says', says + reserved + left);
  return shownOrder.flatMap((column) => {
    const width = widths.get(column);
    return width === undefined ? [] : [{ name: column, cols: width }];
  });
}

const longest = (entries: readonly Entry[], column: ColumnName, model: OverviewModel): number =>
  entries.reduce((most, entry) => Math.max(most, texts[column](entry, model).length), 0);

export const headSpans = (columns: readonly Column[]): Span[] => [
  { text: '', style: 'dim', cols: marksCols },
  ...separated(
    columns.map(({ name, cols }): Span => ({ text: heads[name], style: 'dim', cols })),
    'dim',
  ),
];

const separated = (spans: readonly Span[], style: StyleName): Span[] =>
  spans.flatMap((each, index) => (index === 0 ? [each] : [{ text: ' ', style }, each]));

/** The sign and the style of each kind of attention. */
export const signs: Readonly<Record<AttentionKind, readonly [string, StyleName]>> = {
  input: ['?', 'question'],
  password: ['?', 'question'],
  failed: ['✗', 'failed'],
  notification: ['!', 'told'],
  bell: ['!', 'told'],
  done: ['✓', 'done'],
  prompt: ['$', 'told'],
  quiet: ['·', 'dim'],
  activity: ['+', 'told'],
  silence: ['·', 'told'],
};

/** The style of an agent's state where nobody is wanted. */
export const stateStyles: Readonly<Record<AgentState, StyleName>> = {
  asks: 'question',
  busy: 'plain',
  idle: 'dim',
  unknown: 'told',
};

/** Returns the spans of a session's row. */
export function entrySpans(
  model: OverviewModel,
  entry: Entry,
  columns: readonly Column[],
): readonly Span[] {
  const { attention, agent, state } = entry.info;
  const isSelected = model.selected === entry.key;
  const [sign, wanting] = attention === undefined ? [' ', null] : signs[attention.kind];
  const styleOf = (column: ColumnName): StyleName => {
    if (isSelected) return column === 'name' ? 'selectedBold' : 'selected';
    if (wanting !== null && ['name', 'state', 'says'].includes(column)) return wanting;
    if (column === 'driver') return 'driver';
    if (state === 'exited' || column === 'since' || column === 'directory') return 'dim';
    if (column === 'state' && agent !== undefined) return stateStyles[agent.state];
    return column === 'says' ? 'dim' : 'plain';
  };
  const mark = model.marked.has(entry.key) ? '*' : ' ';
  const plain = isSelected ? 'selected' : 'plain';
  return [
    { text: isSelected ? '>' : ' ', style: plain },
    { text: mark, style: isSelected ? 'selectedBold' : 'question' },
    { text: sign, style: isSelected ? 'selectedBold' : (wanting ?? 'plain') },
    { text: ' ', style: plain },
    ...separated(
      columns.map(({ name, cols }): Span => {
        const keep = name === 'directory' ? 'end' : 'start';
        return { text: texts[name](entry, model), style: styleOf(name), cols, keep };
      }),
      plain,
    ),
  ];
}

/** With several coordinators, that of the session is part of its name. */
export const nameText = (entry: Entry, { links }: OverviewModel): string =>
  links.length > 1 && entry.link > 0
    ? `${entry.coordinatorName}:${entry.info.name}`
    : entry.info.name;

const placeText = ({ info }: Entry, { home }: OverviewModel): string =>
  withBranch(withTilde(directoryOf(info), home), info);

/** Returns who drives; empty if nobody does. */
export const driverText = ({ info: { driver } }: Entry): string => driver?.name ?? '';

/** Returns why a session wants somebody, else the last line of its screen. */
export const saysText = (
  { key, info: { attention, agent } }: Entry,
  { lastLines }: OverviewModel,
): string =>
  (agent?.state === 'asks' && agentQuestion(agent)) ||
  attention?.evidence ||
  (lastLines.get(key) ?? '');

export const sinceText = ({ info }: Entry, { nowMs }: OverviewModel): string =>
  durationText(Math.max(0, nowMs - (info.attention?.sinceMs ?? stateSinceMs(info)))).replace(
    /^\d+ms$/,
    '0s',
  );

const texts: Readonly<Record<ColumnName, (entry: Entry, model: OverviewModel) => string>> = {
  name: nameText,
  state: ({ info }) => stateText(info),
  since: sinceText,
  driver: driverText,
  command: ({ info }) => commandText(info),
  directory: placeText,
  says: saysText,
};
