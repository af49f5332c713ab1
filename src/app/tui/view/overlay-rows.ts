import type { KeyMode } from '#keys';
import type { Cursor } from '#model';
import { emptyRows, noCursor } from './layout.ts';
import {
  blank,
  bold,
  boldInverse,
  cellsOf,
  columns,
  inverse,
  plain,
  type Row,
  type Span,
  textRow,
} from './row-cells.ts';
import { type Overlay, promptLabels, type ViewState } from './view-state.ts';

/** Returns the rows of a window with an overlay over them. */
export function withOverlay(
  state: ViewState,
  overlay: Overlay,
  rows: readonly Row[],
): readonly Row[] {
  const { cols } = state.window;
  const replaced = (row: Row) => [...rows.slice(0, -1), row];
  switch (overlay.type) {
    case 'confirm':
      return replaced(
        textRow(
          [{ text: `${overlay.question} (${yesOrNo(state)}) `, style: boldInverse }],
          cols,
          inverse,
        ),
      );
    case 'prompt': {
      const { choices } = overlay;
      const shown = replaced(promptRow(overlay, cols).row);
      if (choices === undefined || shown.length < 2) return shown;
      const row = textRow([{ text: ` ${choices.join('  ')}`, style: inverse }], cols, inverse);
      return [...shown.slice(0, -2), row, ...shown.slice(-1)];
    }
    case 'page': {
      const lines = overlay.lines.slice(overlay.top);
      const shown = lines
        .slice(0, state.window.rows)
        .map((text) => textRow([{ text, style: plain }], cols));
      return page(state, shown, ` ${overlay.title} · ${helpHints(state)}`);
    }
    case 'clock':
      return page(state, clockRows(state), ` ${dateText(state.nowMs)} · any key leaves`);
    case 'help': {
      const help = helpRows(state).slice(overlay.top);
      return page(state, help, ` ${helpHints(state)}`);
    }
    case 'results':
      return page(state, resultRows(state, overlay), resultsText(state, overlay));
  }
}

const helpHints = ({ keys }: ViewState): string => {
  const moves = [keys.label('help', 'up'), keys.label('help', 'down')];
  return `${keys.hint('help', 'leave', 'leaves')} · ${moves.join(' ')} scroll`;
};

/** The digits of the clock and its colon: five rows, a bit for each column. */
const digits: Readonly<Record<string, readonly number[]>> = {
  '0': [7, 5, 5, 5, 7],
  '1': [2, 6, 2, 2, 7],
  '2': [7, 1, 7, 4, 7],
  '3': [7, 1, 7, 1, 7],
  '4': [5, 5, 7, 1, 1],
  '5': [7, 4, 7, 1, 7],
  '6': [7, 4, 7, 5, 7],
  '7': [7, 1, 1, 1, 1],
  '8': [7, 5, 7, 5, 7],
  '9': [7, 5, 7, 1, 7],
  ':': [0, 2, 0, 2, 0],
};
const clockCols = 5 * 8;

const two = (value: number): string => String(value).padStart(2, '0');

/** Returns the time in the middle of the window, large where there is room. */
function clockRows({ window, nowMs }: ViewState): readonly Row[] {
  const { cols } = window;
  const date = new Date(nowMs);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const isLarge = cols >= clockCols && window.rows >= 7;
  const left = ' '.repeat(Math.max(0, Math.floor((cols - (isLarge ? clockCols : 5)) / 2)));
  const above = Math.max(0, Math.floor((window.rows - 1 - (isLarge ? 5 : 1)) / 2));
  const rows: Span[][] = isLarge
    ? [0, 1, 2, 3, 4].map((row) => largeRow(time, row))
    : [[{ text: time, style: bold }]];
  const shown = rows.map((spans) => textRow([{ text: left, style: plain }, ...spans], cols));
  return [...emptyRows(above, cols), ...shown];
}

const largeRow = (time: string, row: number): Span[] =>
  [...time].flatMap((character) => {
    const bits = digits[character]?.[row] ?? 0;
    const cells = [4, 2, 1].map((bit) => ({
      text: '  ',
      style: (bits & bit) === 0 ? plain : inverse,
    }));
    return [...cells, { text: '  ', style: plain }];
  });

function dateText(ms: number): string {
  const date = new Date(ms);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const yesOrNo = ({ keys }: ViewState): string =>
  [keys.label('confirm', 'yes'), keys.label('confirm', 'no')].join('/');

/** Returns rows in place of all others, with a text in the last one. */
function page({ window }: ViewState, rows: readonly Row[], text: string): readonly Row[] {
  const bottom = textRow([{ text, style: inverse }], window.cols, inverse);
  const body = rows.slice(0, window.rows - 1);
  const filler = emptyRows(window.rows - 1 - body.length, window.cols);
  return [...body, ...filler, bottom].slice(-window.rows);
}

type Results = Extract<Overlay, { type: 'results' }>;

function resultRows({ window }: ViewState, { matches, selected }: Results): Row[] {
  const count = Math.max(1, window.rows - 1);
  const top = Math.max(0, Math.min(selected - Math.floor(count / 2), matches.length - count));
  return matches.slice(top, top + count).map(({ session, line, text }, index) => {
    const isSelected = top + index === selected;
    const style = isSelected ? inverse : plain;
    const mark = isSelected ? '>' : ' ';
    const shown = `${mark} ${session}:${line + 1}: ${text.trimStart()}`;
    return textRow([{ text: shown, style }], window.cols, style);
  });
}

function resultsText(
  { keys }: ViewState,
  { pattern, matches, isTruncated, selected }: Results,
): string {
  const leaves = keys.hint('results', 'leave', 'leaves');
  if (matches.length === 0) return ` ${pattern} was not found in any session · ${leaves}`;
  const count = `${selected + 1} of ${matches.length}${isTruncated ? '+' : ''}`;
  return ` ${pattern}: ${count} · ${keys.hint('results', 'show', 'shows it')} · ${leaves}`;
}

type Prompt = Extract<Overlay, { type: 'prompt' }>;

/** The columns of a prompt that are left for the line, at least. */
const minRoom = 8;

/**
 * Returns the row of a prompt, and the column of the cursor. Where not all fits, the label is cut, and
 * the line is shown around its cursor.
 */
function promptRow({ purpose, line }: Prompt, cols: number): { row: Row; col: number } {
  const label = cellsOf(promptLabels[purpose], boldInverse).slice(0, Math.max(0, cols - minRoom));
  const before = cellsOf(line.text.slice(0, line.at), inverse);
  const after = cellsOf(line.text.slice(line.at), inverse);
  const skipped = Math.max(0, before.length - (cols - label.length - 1));
  const rest = columns([...before, ...after], skipped, skipped + cols - label.length, filler);
  const row = columns([...label, ...rest], 0, cols, filler);
  return { row, col: Math.min(cols - 1, label.length + before.length - skipped) };
}

const filler = blank(inverse);

/** Returns the cursor of an overlay: where text is typed, or none. */
export function overlayCursor({ window }: ViewState, overlay: Overlay): Cursor {
  if (overlay.type !== 'prompt') return noCursor;
  const { col } = promptRow(overlay, window.cols);
  return { ...noCursor, row: window.rows - 1, col, visible: true, shape: 'bar' };
}

/** Columns of the keys. */
const keyCols = 22;
/** In narrower windows, what a key does is below it. */
const leastCols = 60;

function entryRows(names: string, does: string, cols: number): Row[] {
  const key = { text: `  ${names.padEnd(keyCols)}`, style: bold };
  if (cols >= leastCols) return [textRow([key, { text: does, style: plain }], cols)];
  const lines = wrappedText(does, cols - 4);
  return [
    textRow([key], cols),
    ...lines.map((text) => textRow([{ text: `    ${text}`, style: plain }], cols)),
  ];
}

/** Returns a text in lines of so many columns, between words; a longer word is cut. */
function wrappedText(text: string, cols: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > cols) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Returns all rows of the help. */
export function helpRows({ keys, window: { cols } }: ViewState): readonly Row[] {
  const title = (text: string) => textRow([{ text: ` ${text}`, style: bold }], cols);
  const rowsOf = (mode: KeyMode) =>
    keys.help(mode).flatMap(({ keys: names, does }) => entryRows(names, does, cols));
  const leading =
    keys.leader === null
      ? [textRow([{ text: ' All keys go to the program (--leader none).', style: plain }], cols)]
      : [title(`After ${keys.leaderLabel}`), ...rowsOf('attach')];
  const direct = keys
    .directHelp('attach')
    .flatMap(({ keys: names, does }) => entryRows(names, does, cols));
  const blank = textRow([], cols);
  return [
    ...[...leading, blank],
    ...(direct.length === 0 ? [] : [title('Without the leader'), ...direct, blank]),
    ...[title('While scrolling'), ...rowsOf('scroll'), blank],
    ...[title('After the program has ended'), ...rowsOf('ended'), blank],
    ...[title('In the lines found in all sessions'), ...rowsOf('results')],
  ];
}
