import { keyText } from '#keys';
import type { KeyPress } from '#model';
import { type Step, step, type ViewState, withNotice } from '../view-state.ts';
import { withCopy } from './copying.ts';
import { withWish } from './ledger.ts';
import { rowOfCol, rowStarts } from './lines.ts';
import { bodyOf, shown } from './loading.ts';
import {
  atFirst,
  atLast,
  cursorCol,
  goneTo,
  isAtEnd,
  placeIn,
  scrolled,
  seenRows,
  withCursorMoved,
} from './moving.ts';
import { type Body, lineCells, lineEndOf, type Scroll, type SelectionKind } from './scroll.ts';
import { withSeek } from './searching.ts';
import { nextWord, wordBefore } from './selecting.ts';

/** What a key does: a change of what is seen, or more. */
type Command = (scroll: Scroll, body: Body, state: ViewState) => Scroll | Step;

interface ScrollKey {
  /** Short forms as {@link keyText} returns them; the first ones are shown. */
  readonly keys: readonly string[];
  readonly run: Command;
  /** For the help. Empty if the row before describes it. */
  readonly does: string;
}

const moved =
  (rows: number): Command =>
  (scroll, body) =>
    withCursorMoved(scroll, rows, body);

/** Scrolls by a part of the window; at the end, as far as there are newer lines. */
const paged =
  (part: number): Command =>
  (scroll, body, state) =>
    scrolledBy(state, scroll, Math.trunc(body.rows * part) || Math.sign(part));

const scrolledRow =
  (rows: number): Command =>
  (scroll, _body, state) =>
    scrolledBy(state, scroll, rows);

/** Scrolls by rows. Past the end it leaves, or shows what is new. */
export function scrolledBy(state: ViewState, scroll: Scroll, rows: number): Scroll | Step {
  const body = bodyOf(state);
  if (rows < 0 || !isAtEnd(scroll, body)) {
    const next = scrolled(scroll, rows, body);
    const hasLeft = rows > 0 && next.leavesAtEnd && isAtEnd(next, body) && !next.selection;
    return hasLeft ? left(state) : next;
  }
  return scroll.leavesAtEnd && scroll.selection === null ? left(state) : toEnd(scroll, body, state);
}

/** Shows the newest lines. */
const toEnd: Command = (scroll, body, state) =>
  step({ ...state, scroll: atLast(scroll, body), entry: { type: 'end' } }, { type: 'freeze' });

/** Shows the session again. */
export const left = (state: ViewState): Step => step({ ...state, scroll: null, entry: null });

/** Moves the cursor in its line, or in the one that it wraps to. */
const toCol =
  (target: (scroll: Scroll, body: Body) => number): Command =>
  (scroll, body) => {
    const { line } = scroll.cursor;
    const cells = lineCells(scroll, line);
    const col = Math.max(0, Math.min(target(scroll, body), cells.length - 1));
    const head = cells[col]?.width === 0 && col > 0 ? col - 1 : col;
    return goneTo(scroll, { line, col: head }, body);
  };

const toLeft = toCol(({ cursor }) => cursor.col - 1);
const toRight = toCol((scroll) => {
  const { line, col } = scroll.cursor;
  return col + (lineCells(scroll, line)[col]?.width === 2 ? 2 : 1);
});

/** Returns the first column of the row of the cursor, or of the next one. */
const rowBorder =
  (which: 0 | 1) =>
  (scroll: Scroll, { cols }: Body) => {
    const cells = lineCells(scroll, scroll.cursor.line);
    const starts = rowStarts(cells, cols);
    const row = rowOfCol(starts, scroll.cursor.col);
    return which === 0 ? (starts[row] ?? 0) : (starts[row + 1] ?? cells.length) - 1;
  };

const firstText = (scroll: Scroll) =>
  lineCells(scroll, scroll.cursor.line).findIndex(({ text }) => text.trim() !== '');

/** Moves by words, into the next or previous line where there are no more. */
const byWord =
  (step: 'start' | 'end' | 'before'): Command =>
  (scroll, body) => {
    const { line, col } = scroll.cursor;
    const cells = lineCells(scroll, line);
    const found = step === 'before' ? wordBefore(cells, col) : nextWord(cells, col, step);
    if (found !== null) return goneTo(scroll, { line, col: found }, body);
    const other = line + (step === 'before' ? -1 : 1);
    if (other < Math.min(scroll.first, scroll.frozen.from) || other >= lineEndOf(scroll)) {
      return scroll;
    }
    const otherCells = lineCells(scroll, other);
    const at =
      step === 'before'
        ? wordBefore(otherCells, otherCells.length)
        : nextWord(otherCells, -1, step);
    return goneTo(scroll, { line: other, col: at ?? 0 }, body);
  };

/** Moves the cursor to a row of the window: 0 for the first, 1 for the last. */
const toRow =
  (part: number): Command =>
  (scroll, body) => {
    const seen = seenRows(scroll, body);
    const row = seen[Math.floor((seen.length - 1) * part)];
    return row === undefined ? scroll : { ...scroll, cursor: placeIn(row, 0), goalCol: 0 };
  };

/** Moves to the next or previous empty line. */
const byParagraph =
  (direction: 1 | -1): Command =>
  (scroll, body) => {
    const isEmpty = (at: number) => lineCells(scroll, at).every(({ text }) => text.trim() === '');
    const [from, to] = [Math.min(scroll.first, scroll.frozen.from), lineEndOf(scroll) - 1];
    let line = scroll.cursor.line;
    const advance = (whileEmpty: boolean) => {
      const hasNext = () => line + direction >= from && line + direction <= to;
      while (isEmpty(line) === whileEmpty && hasNext()) line += direction;
    };
    advance(true);
    advance(false);
    return goneTo(scroll, { line, col: 0 }, body);
  };

const selecting =
  (kind: SelectionKind): Command =>
  (scroll) =>
    scroll.selection?.kind === kind
      ? { ...scroll, selection: null }
      : { ...scroll, selection: { kind, anchor: scroll.selection?.anchor ?? scroll.cursor } };

/** Copies the selection, or the line of the cursor, and leaves. */
const copying: Command = (scroll, _body, state) => {
  const line: Scroll = { ...scroll, selection: { kind: 'lines', anchor: scroll.cursor } };
  const next = withCopy(state, scroll.selection === null ? line : scroll);
  const isWaiting = next.state.scroll?.copying != null;
  return isWaiting ? next : { ...next, state: { ...next.state, scroll: null } };
};

const entering: Command = (scroll, body, state) =>
  scroll.selection === null ? left(state) : copying(scroll, body, state);

const seeking =
  (against: boolean): Command =>
  (scroll, _body, state) => {
    const next = withSeek(scroll, against);
    const { search } = next;
    if (search === null) return step(withNotice(state, 'no search yet: / or ? begins one'));
    return next;
  };

const asking =
  (purpose: 'search' | 'searchBack' | 'line'): Command =>
  (_scroll, _body, state) =>
    step({ ...state, overlay: { type: 'prompt', purpose, line: { text: '', at: 0 } } });

const escaping: Command = (scroll, _body, state) => {
  if (scroll.selection !== null) return { ...scroll, selection: null };
  return scroll.search !== null ? { ...scroll, search: null } : left(state);
};

const leaving: Command = (_scroll, _body, state) => left(state);

const wishing =
  (wish: 'previous' | 'next'): Command =>
  (scroll, _body, state) =>
    withWish(state, scroll, wish);

/** `o`: in a selection, the cursor goes to its other end; else the output of the command is copied. */
const outputOrOtherEnd: Command = (scroll, body, state) => {
  const { selection, cursor } = scroll;
  if (selection === null) return withWish(state, scroll, 'output');
  const swapped = { ...scroll, selection: { ...selection, anchor: cursor } };
  return goneTo(swapped, selection.anchor, body);
};

const helping: Command = (_scroll, _body, state) =>
  step({ ...state, overlay: { type: 'help', top: 0 } });

/** The keys of scroll mode, in the order of the help: those of less, vi and tmux. */
export const scrollKeys: readonly ScrollKey[] = [
  { keys: ['up', 'k'], run: moved(-1), does: 'a row up' },
  { keys: ['down', 'j'], run: moved(1), does: 'a row down' },
  { keys: ['left', 'h'], run: toLeft, does: 'a column left' },
  { keys: ['right', 'l'], run: toRight, does: 'a column right' },
  { keys: ['pageup', 'ctrl+b'], run: paged(-1), does: 'a page up' },
  { keys: ['pagedown', 'ctrl+f'], run: paged(1), does: 'a page down' },
  { keys: ['ctrl+u'], run: paged(-0.5), does: 'half a page up' },
  { keys: ['ctrl+d'], run: paged(0.5), does: 'half a page down' },
  { keys: ['ctrl+y', 'K', 'shift+up'], run: scrolledRow(-1), does: 'scroll a row up' },
  { keys: ['ctrl+e', 'J', 'shift+down'], run: scrolledRow(1), does: 'scroll a row down' },
  { keys: ['g', 'home'], run: atFirst, does: 'the oldest line' },
  { keys: ['G', 'end'], run: toEnd, does: 'the newest line' },
  { keys: [':'], run: asking('line'), does: 'a line by its number' },
  { keys: ['H'], run: toRow(0), does: 'the first row, M the middle, L the last' },
  { keys: ['M'], run: toRow(0.5), does: '' },
  { keys: ['L'], run: toRow(1), does: '' },
  { keys: ['0'], run: toCol(rowBorder(0)), does: 'the start of the row' },
  { keys: ['$'], run: toCol(rowBorder(1)), does: 'the end of the row' },
  { keys: ['^'], run: toCol(firstText), does: 'the first character of the line' },
  { keys: ['w'], run: byWord('start'), does: 'the next word; b the one before, e its end' },
  { keys: ['b'], run: byWord('before'), does: '' },
  { keys: ['e'], run: byWord('end'), does: '' },
  { keys: ['{'], run: byParagraph(-1), does: 'the paragraph before; } the next one' },
  { keys: ['}'], run: byParagraph(1), does: '' },
  { keys: ['[', 'ctrl+up'], run: wishing('previous'), does: 'the prompt before' },
  { keys: [']', 'ctrl+down'], run: wishing('next'), does: 'the next prompt' },
  { keys: ['/'], run: asking('search'), does: 'search below (RE2)' },
  { keys: ['?'], run: asking('searchBack'), does: 'search above (RE2)' },
  { keys: ['n'], run: seeking(false), does: 'the next match; N against the direction' },
  { keys: ['N'], run: seeking(true), does: '' },
  { keys: ['space', 'v'], run: selecting('chars'), does: 'select (also by dragging the mouse)' },
  { keys: ['V'], run: selecting('lines'), does: 'select lines' },
  { keys: ['ctrl+v'], run: selecting('block'), does: 'select a block' },
  { keys: ['enter'], run: entering, does: 'copy what is selected' },
  { keys: ['y'], run: copying, does: 'copy what is selected, or the line' },
  { keys: ['o'], run: outputOrOtherEnd, does: 'copy the output of this command' },
  { keys: ['escape'], run: escaping, does: 'end the selection, the search, the mode' },
  { keys: ['q', 'ctrl+c'], run: leaving, does: 'leave' },
  { keys: ['f1'], run: helping, does: 'this help (also with the leader and ?)' },
];

/** Whether a key does something in scroll mode. */
export const isScrollKey = (press: KeyPress): boolean =>
  scrollKeys.some(({ keys }) => keys.includes(keyText(press)));

/** Runs the command of a key in scroll mode. Keys without one do nothing. */
export function pressedInScroll(state: ViewState, scroll: Scroll, press: KeyPress): Step {
  const name = keyText(press);
  const found = scrollKeys.find(({ keys }) => keys.includes(name));
  if (found === undefined) return step(state);
  const body = bodyOf(state);
  const result = found.run(scroll, body, state);
  if ('effects' in result) return result;
  const isVertical = verticalKeys.has(name);
  return shown(state, isVertical ? result : { ...result, goalCol: cursorCol(result, body) });
}

/** Keys after which the cursor keeps the column that it is to return to. */
const verticalKeys = new Set(
  [
    'up',
    'k',
    'down',
    'j',
    'pageup',
    'ctrl+b',
    'pagedown',
    'ctrl+f',
    'ctrl+u',
    'ctrl+d',
    'ctrl+y',
  ].concat(['K', 'shift+up', 'ctrl+e', 'J', 'shift+down']),
);
