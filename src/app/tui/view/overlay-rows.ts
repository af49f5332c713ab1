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
    case 'prompt':
      return replaced(promptRow(overlay, cols).row);
    case 'help': {
      const help = helpRows(state).slice(overlay.top);
      const hint = state.keys.hint('help', 'leave', 'leaves the help');
      const moves = [state.keys.label('help', 'up'), state.keys.label('help', 'down')];
      return page(state, help, ` ${hint} · ${moves.join(' ')} scroll`);
    }
    case 'results':
      return page(state, resultRows(state, overlay), resultsText(state, overlay));
  }
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

function resultRows({ window }: ViewState, { found, selected }: Results): Row[] {
  const count = Math.max(1, window.rows - 1);
  const top = Math.max(0, Math.min(selected - Math.floor(count / 2), found.length - count));
  return found.slice(top, top + count).map(({ session, line, text }, index) => {
    const isSelected = top + index === selected;
    const style = isSelected ? inverse : plain;
    const mark = isSelected ? '>' : ' ';
    const shown = `${mark} ${session}:${line + 1}: ${text.trimStart()}`;
    return textRow([{ text: shown, style }], window.cols, style);
  });
}

function resultsText(
  { keys }: ViewState,
  { pattern, found, isTruncated, selected }: Results,
): string {
  const leaves = keys.hint('results', 'leave', 'leaves');
  if (found.length === 0) return ` ${pattern} was not found in any session · ${leaves}`;
  const count = `${selected + 1} of ${found.length}${isTruncated ? '+' : ''}`;
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

/** Returns all rows of the help. */
export function helpRows({ keys, window: { cols } }: ViewState): readonly Row[] {
  const title = (text: string) => textRow([{ text: ` ${text}`, style: bold }], cols);
  const rowsOf = (mode: KeyMode) =>
    keys.help(mode).map(({ keys: names, does }) =>
      textRow(
        [
          { text: `  ${names.padEnd(keyCols)}`, style: bold },
          { text: does, style: plain },
        ],
        cols,
      ),
    );
  const leading =
    keys.leader === null
      ? [textRow([{ text: ' All keys go to the program (--leader none).', style: plain }], cols)]
      : [title(`After ${keys.leaderLabel}`), ...rowsOf('attach')];
  const blank = textRow([], cols);
  return [
    ...[...leading, blank],
    ...[title('While scrolling'), ...rowsOf('scroll'), blank],
    ...[title('After the program has ended'), ...rowsOf('ended'), blank],
    ...[title('In the lines found in all sessions'), ...rowsOf('results')],
  ];
}
