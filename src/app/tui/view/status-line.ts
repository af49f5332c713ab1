import type { Cell, Color, Style } from '#model';
import type { Keys } from '../keys.ts';
import type { Layout } from './layout.ts';
import { blank, boldInverse, cellsOf, columns, inverse, type Row } from './row-cells.ts';
import type { ViewState } from './view-state.ts';

/** A part of the status line. Where not all fit, those of the highest rank are left out first. */
interface Part {
  readonly text: string;
  /** Instead of the text, before the part is left out. */
  readonly short?: string;
  readonly rank: number;
  readonly isRight?: true;
  /** Shown also beside what the person wrote for this side. */
  readonly isAlways?: true;
}

const gap = 2;

/** The row as it was made last, and what of: few frames change it, and the same object costs no painting. */
let last: { of: readonly unknown[]; readonly text: string; readonly row: Row } | null = null;

/** Returns the row that says which session this is, how large, and who drives. */
export function statusLine(state: ViewState, layout: Layout): Row {
  const of = inputsOf(state, layout);
  if (last !== null && of.every((each, at) => each === last?.of[at])) return last.row;
  const { window, statusText = null } = state;
  const parts = statusParts(state, layout);
  const text = JSON.stringify([window.cols, statusText, parts]);
  if (last?.text === text) last.of = of;
  else last = { of, text, row: rowOf(parts, window.cols, statusText) };
  return last.row;
}

/** Returns all that the status line tells something of. A key changes none of it. */
function inputsOf(state: ViewState, { shown }: Layout): readonly unknown[] {
  const { session, coordinator, screen, activity, others, connection, leading, keys } = state;
  const { window, statusText, viewing, pan } = state;
  return [
    ...[session, coordinator, activity, others, connection, leading, keys, viewing, statusText],
    ...[window.cols, screen?.size.cols, screen?.size.rows],
    ...[pan.row, pan.col, shown.rows, shown.cols],
  ];
}

function rowOf(parts: readonly Part[], cols: number, own: ViewState['statusText'] | null): Row {
  const { left: ownLeft = null, right: ownRight = null } = own ?? {};
  const isKept = ({ isAlways, isRight }: Part) =>
    isAlways || (isRight ? ownRight : ownLeft) === null;
  const fitting = fittingParts(parts.filter(isKept), cols);
  const left = fitting.filter(({ isRight }) => !isRight);
  const right = fitting.filter(({ isRight }) => isRight);
  const start = ownLeft === null ? 1 : 0;
  const cells = [
    ...(ownLeft === null ? [blank(inverse)] : [...styledCells(ownLeft), blank(inverse)]),
    ...joined(left.slice(0, start), boldInverse),
    ...joined(left.slice(start), inverse),
  ];
  const usual = joined(right, inverse);
  const end = ownRight === null ? usual.slice(0, -1) : [...usual, ...styledCells(ownRight)];
  while (cells.length < cols - end.length) cells.push(blank(inverse));
  const room = Math.max(0, cols - end.length);
  return columns([...columns(cells, 0, room, blank(inverse)), ...end], 0, cols, blank(inverse));
}

/** Returns the cells of a text with styles of tmux in it, `#[fg=red,bold]`. */
function styledCells(text: string): Cell[] {
  const cells: Cell[] = [];
  let style = inverse;
  for (const part of text.split(/(#\[[^\]]*\])/)) {
    if (part.startsWith('#[') && part.endsWith(']')) style = restyled(style, part.slice(2, -1));
    else cells.push(...cellsOf(part, style));
  }
  return cells;
}

const attributes: Readonly<Record<string, Partial<Style>>> = {
  bold: { bold: true },
  nobold: { bold: false },
  dim: { dim: true },
  nodim: { dim: false },
  italics: { italic: true },
  noitalics: { italic: false },
  underscore: { underline: 'single' },
  nounderscore: { underline: 'none' },
  strikethrough: { strikethrough: true },
  nostrikethrough: { strikethrough: false },
  blink: { blink: true },
  noblink: { blink: false },
};

/** Returns a style after words such as `fg=red,bold`. Words that are unknown change nothing. */
function restyled(before: Style, words: string): Style {
  let style = before;
  for (const word of words.split(/[\s,]+/)) {
    const [, side, color = ''] = /^([fb]g)=(.+)$/.exec(word) ?? [];
    if (word === 'default' || word === 'none') style = inverse;
    else if (word === 'reverse' || word === 'noreverse')
      style = { ...style, inverse: !style.inverse };
    // Colours are as they are named, not turned.
    else if (side === 'fg') style = { ...style, inverse: false, fg: colorOf(color) };
    else if (side === 'bg') style = { ...style, inverse: false, bg: colorOf(color) };
    else style = { ...style, ...(Object.hasOwn(attributes, word) ? attributes[word] : {}) };
  }
  return style;
}

const colorNames = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** `red`, `brightred`, `colour208`, `#ff8700`; null, the default, for anything else. */
function colorOf(name: string): Color {
  if (/^#[0-9a-f]{6}$/i.test(name)) return name.toLowerCase() as Color;
  const [, number] = /^colou?r(\d{1,3})$/.exec(name) ?? [];
  if (number !== undefined) return Number(number) < 256 ? Number(number) : null;
  const isBright = name.startsWith('bright');
  const index = colorNames.indexOf(isBright ? name.slice('bright'.length) : name);
  return index < 0 ? null : index + (isBright ? 8 : 0);
}

const joined = (parts: readonly Part[], style: typeof inverse) =>
  parts.flatMap(({ text }) => [...cellsOf(text, style), ...spaces]);

const spaces = [blank(inverse), blank(inverse)];

function statusParts(state: ViewState, layout: Layout): Part[] {
  const { session, coordinator, screen, activity, others, connection, leading, keys } = state;
  const isEnded = connection.state === 'ended';
  const parts: Part[] = [
    { text: session, rank: isEnded ? 2 : 0 },
    { text: coordinator, rank: 7 },
    { text: screen === null ? '' : `${screen.size.cols}x${screen.size.rows}`, rank: 5 },
    { text: isEnded ? '' : activity, rank: 4 },
    { text: othersText(state), short: othersShort(others), rank: 2, isAlways: true },
    { text: shownPart(state, layout), rank: 3 },
    { text: viewersText(state), rank: 6, isRight: true },
    {
      text: isEnded ? endedText(connection, keys, state.window.cols) : driverText(state),
      ...(!isEnded && { short: driverShort(state) }),
      rank: 1,
      isRight: true,
      isAlways: true,
    },
    {
      text: leading ? `${keys.leaderLabel} …` : '',
      rank: 2,
      isRight: true,
      isAlways: true,
    },
  ];
  return parts.filter(({ text }) => text !== '');
}

/** Returns how a program ended, and the keys, as far as there is space. */
function endedText(
  { how, isRemoved }: Extract<ViewState['connection'], { state: 'ended' }>,
  keys: Keys,
  cols: number,
): string {
  const leaves = keys.hint('ended', 'leave', 'leaves');
  const listed = (...parts: readonly string[]) => parts.filter((part) => part !== '').join(' · ');
  if (isRemoved) return listed(how, 'removed', leaves);
  const restarts = keys.hint('ended', 'restart', 'starts it again');
  const whole = listed(how, restarts, keys.hint('ended', 'remove', 'removes it'), leaves);
  const labels = (['restart', 'remove', 'leave'] as const).map((each) => keys.label('ended', each));
  const short = listed(how, ...labels);
  return whole.length + gap < cols ? whole : short;
}

/** Returns which part of the session is seen; empty if all of it is. */
export function shownPart({ screen, pan }: ViewState, { shown }: Layout): string {
  if (screen === null) return '';
  const range = (name: string, first: number, count: number, of: number) =>
    count < of ? [`${name} ${first + 1}-${first + count} of ${of}`] : [];
  return [
    ...range('rows', pan.row, shown.rows, screen.size.rows),
    ...range('columns', pan.col, shown.cols, screen.size.cols),
  ].join(', ');
}

function fittingParts(parts: readonly Part[], cols: number): readonly Part[] {
  const width = parts.reduce((sum, { text }) => sum + cellsOf(text, inverse).length + gap, 0);
  if (width <= cols || parts.length === 1) return parts;
  const last = parts.reduce((worst, part) => (part.rank > worst.rank ? part : worst));
  const left = parts.flatMap((part) => (part === last ? shortened(part) : [part]));
  return fittingParts(left, cols);
}

const shortened = ({ short, ...part }: Part): Part[] =>
  short === undefined ? [] : [{ ...part, text: short }];

/** The most sessions that are named. */
const maxNames = 3;

const othersShort = ([first = '', ...more]: readonly string[]): string =>
  more.length === 0 ? `${first} wants` : `${more.length + 1} want: ${first}`;

/** Returns which other sessions want somebody: `2 want somebody: Ctrl+b n · api, web`; empty if none does. */
export function othersText({ others, keys }: Pick<ViewState, 'others' | 'keys'>): string {
  if (others.length === 0) return '';
  const wants = others.length === 1 ? '1 wants somebody' : `${others.length} want somebody`;
  const key = keys.label('attach', 'next');
  const more = others.length > maxNames ? ', …' : '';
  const names = `${others.slice(0, maxNames).join(', ')}${more}`;
  return `${key === '' ? wants : `${wants}: ${key}`} · ${names}`;
}

/** Returns who drives, and which key changes that. Empty before it is known. */
export function driverText({ viewing, keys }: ViewState): string {
  if (viewing === null) return '';
  const hint = (does: string) => {
    const text = keys.hint('attach', 'take', does);
    return text === '' ? '' : `: ${text}`;
  };
  const { driver, askedBy, note } = viewing;
  const noted = note === undefined ? '' : ` (${note})`;
  if (viewing.holds === true) {
    if (askedBy !== undefined) return `${askedBy} asks for it${hint('gives it')}`;
    const { handedBy } = driver ?? {};
    return handedBy === undefined ? 'you hold it' : `${handedBy} handed it to you${noted}`;
  }
  if (viewing.drives) return driver?.kind === 'agent' ? `${driver.name} types` : '';
  if (driver?.holds !== true) return 'you watch';
  return `${driver.name} holds it${noted}${hint('to ask for it')}`;
}

/** The same in a few words, without a note. */
function driverShort({ viewing }: ViewState): string {
  const { driver, holds, drives } = viewing ?? {};
  if (holds) return 'you hold it';
  if (drives) return driver?.kind === 'agent' ? `${driver.name} types` : '';
  return driver?.holds ? `${driver.name} holds it` : 'you watch';
}

/** Returns who else sees the session; empty if nobody does. */
function viewersText({ viewing }: ViewState): string {
  const count = viewing?.viewers.length ?? 0;
  if (count < 2) return '';
  const names = [...new Set(viewing?.viewers.map(({ name }) => name))];
  return `${count} viewers: ${names.join(', ')}`;
}
