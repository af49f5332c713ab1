import { keyText } from '#keys';
import { cellsText, type KeyPress, type MouseInput } from '#model';
import type { Command as Key } from '../keys.ts';
import { bodyOf, shown, withWish } from './loading.ts';
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
import {
  type Body,
  type CharFind,
  type CopyTarget,
  lineCells,
  lineEndOf,
  type Place,
  rowOfCol,
  rowStarts,
  type Scroll,
  type SelectionKind,
} from './scroll.ts';
import { withSearch, withSeek } from './searching.ts';
import { nextWord, withCopy, wordAt, wordBefore } from './selecting.ts';
import { type Step, step, type ViewState, withNotice } from './view-state.ts';

/**
 * What a key does: a change of what is seen, or more.
 *
 * @param count the number that was typed before it; null for none
 */
type Command = (
  scroll: Scroll,
  body: Body,
  state: ViewState,
  count: number | null,
) => Scroll | Step;

type ScrollCommand = Key<'scroll'>;

const moved =
  (rows: number): Command =>
  (scroll, body, _state, count) =>
    withCursorMoved(scroll, rows * (count ?? 1), body);

/** Scrolls by a part of the window; at the end, as far as there are newer lines. */
const paged =
  (part: number): Command =>
  (scroll, body, state, count) =>
    scrolledBy(state, scroll, (Math.trunc(body.rows * part) || Math.sign(part)) * (count ?? 1));

const scrolledRow =
  (rows: number): Command =>
  (scroll, _body, state, count) =>
    scrolledBy(state, scroll, rows * (count ?? 1));

/** Repeats a move of the cursor as often as the number that was typed before it tells. */
const repeated =
  (move: (scroll: Scroll, body: Body) => Scroll): Command =>
  (scroll, body, _state, count) => {
    let at = scroll;
    for (let left = count ?? 1; left > 0; left--) {
      const next = move(at, body);
      // It is at the border.
      if (next.cursor.line === at.cursor.line && next.cursor.col === at.cursor.col) return next;
      at = next;
    }
    return at;
  };

const existing = (scroll: Scroll, line: number): number =>
  Math.max(Math.min(scroll.first, scroll.frozen.from), Math.min(line, lineEndOf(scroll) - 1));

/** Shows the line of the number that was typed before, from 1 on; without one, the oldest or newest. */
const toLine =
  (without: Command): Command =>
  (scroll, body, state, count) =>
    count === null
      ? without(scroll, body, state, count)
      : goneTo(scroll, { line: existing(scroll, count - 1), col: 0 }, body);

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
const toEnd = (scroll: Scroll, body: Body, state: ViewState): Step =>
  step({ ...state, scroll: atLast(scroll, body), entry: { type: 'end' } }, { type: 'freeze' });

/** Shows the session again. */
const left = (state: ViewState): Step => step({ ...state, scroll: null, entry: null });

/** Moves the cursor in its line, or in the one that it wraps to. */
const toCol =
  (target: (scroll: Scroll, body: Body) => number) =>
  (scroll: Scroll, body: Body): Scroll => {
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
  (step: 'start' | 'end' | 'before') =>
  (scroll: Scroll, body: Body): Scroll => {
    const { line, col } = scroll.cursor;
    const cells = lineCells(scroll, line);
    const target = step === 'before' ? wordBefore(cells, col) : nextWord(cells, col, step);
    if (target !== null) return goneTo(scroll, { line, col: target }, body);
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
    const rows = seenRows(scroll, body);
    const row = rows[Math.floor((rows.length - 1) * part)];
    return row === undefined ? scroll : { ...scroll, cursor: placeIn(row, 0), goalCol: 0 };
  };

/** Moves to the next or previous empty line. */
const byParagraph =
  (direction: 1 | -1) =>
  (scroll: Scroll, body: Body): Scroll => {
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

/** The next key is the character to which the cursor goes. */
const awaiting =
  (way: CharFind['way']): Command =>
  (scroll, _body, _state, count) => ({ ...scroll, awaits: way, count });

/** Repeats the last move to a character, or does it in the other direction. */
const findingAgain =
  (against: boolean): Command =>
  (scroll, body, state, count) => {
    const { lastFind } = scroll;
    if (lastFind === null) return step(withNotice(state, 'no character was searched yet'));
    const { way, character } = lastFind;
    const other = { to: 'backTo', before: 'after', backTo: 'to', after: 'before' } as const;
    const find = { way: against ? other[way] : way, character };
    return foundChar(scroll, body, find, { count, isAgain: true });
  };

/** Moves the cursor to a character of its line, or next to it; not at all if there is none. */
function foundChar(
  scroll: Scroll,
  body: Body,
  find: CharFind,
  { count, isAgain = false }: { readonly count: number | null; readonly isAgain?: boolean },
): Scroll {
  const { line, col } = scroll.cursor;
  const cells = lineCells(scroll, line);
  const by = find.way === 'to' || find.way === 'before' ? 1 : -1;
  const isNextTo = find.way === 'before' || find.way === 'after';
  let left = count ?? 1;
  // Who repeats the move is next to the character already, and means the one after it.
  for (let at = col + by * (isNextTo && isAgain ? 2 : 1); at >= 0 && at < cells.length; at += by) {
    if (cells[at]?.text !== find.character || --left > 0) continue;
    return goneTo(scroll, { line, col: isNextTo ? at - by : at }, body);
  }
  return scroll;
}

/** The selection, or the line of the cursor. */
const orLine = (scroll: Scroll): Scroll =>
  scroll.selection === null
    ? { ...scroll, selection: { kind: 'lines', anchor: scroll.cursor } }
    : scroll;

/** Copies the selection of `scroll`, and leaves. */
function copiedAndLeft(state: ViewState, scroll: Scroll, target?: CopyTarget): Step {
  const next = withCopy(state, scroll, target);
  const isWaiting = next.state.scroll?.copying != null;
  return isWaiting ? next : { ...next, state: { ...next.state, scroll: null } };
}

/** Copies the selection, or the line of the cursor, to a command or a file, and leaves. */
export const copiedTo = (state: ViewState, target: CopyTarget): Step =>
  state.scroll === null ? step(state) : copiedAndLeft(state, orLine(state.scroll), target);

/** Copies the selection, or the line of the cursor, and leaves. */
const copying =
  (target?: CopyTarget): Command =>
  (scroll, _body, state) =>
    copiedAndLeft(state, orLine(scroll), target);

const copyingLine: Command = (scroll, _body, state) =>
  copiedAndLeft(state, { ...scroll, selection: { kind: 'lines', anchor: scroll.cursor } });

const copyingRest: Command = (scroll, body, state) => {
  const { cursor } = scroll;
  const end = toCol(() => Number.POSITIVE_INFINITY)(scroll, body);
  return copiedAndLeft(state, { ...end, selection: { kind: 'chars', anchor: cursor } });
};

/** Searches the word at the cursor, as it is written. */
const seekingWord =
  (backward: boolean): Command =>
  (scroll, _body, state) => {
    const { line, col } = scroll.cursor;
    const cells = lineCells(scroll, line);
    const { from, to } = wordAt(cells, col);
    const word = cellsText(cells.slice(from, to)).trim();
    if (word === '') return step(withNotice(state, 'no word here'));
    const source = word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    const at = { ...scroll, cursor: { line: line + (backward ? -1 : 1), col: 0 } };
    const begun = withSearch(at, source, backward);
    return step({ ...state, scroll: { ...begun.scroll, cursor: scroll.cursor } }, begun.effect);
  };

const entering: Command = (scroll, body, state, count) =>
  scroll.selection === null ? left(state) : copying()(scroll, body, state, count);

const seeking =
  (against: boolean): Command =>
  (scroll, _body, state) => {
    const next = withSeek(scroll, against);
    const { search } = next;
    if (search === null) {
      const ways = [state.keys.label('scroll', 'search'), state.keys.label('scroll', 'searchBack')];
      return step(withNotice(state, `no search yet: ${ways.join(' or ')} begins one`));
    }
    return next;
  };

const asking =
  (purpose: 'search' | 'searchBack' | 'line' | 'pipe' | 'save'): Command =>
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

const commands: Readonly<Record<ScrollCommand, Command>> = {
  up: moved(-1),
  down: moved(1),
  left: repeated(toLeft),
  right: repeated(toRight),
  pageUp: paged(-1),
  pageDown: paged(1),
  halfUp: paged(-0.5),
  halfDown: paged(0.5),
  rowUp: scrolledRow(-1),
  rowDown: scrolledRow(1),
  first: toLine(atFirst),
  last: toLine(toEnd),
  line: asking('line'),
  topRow: toRow(0),
  middleRow: toRow(0.5),
  bottomRow: toRow(1),
  rowStart: toCol(rowBorder(0)),
  rowEnd: toCol(rowBorder(1)),
  firstText: toCol(firstText),
  nextWord: repeated(byWord('start')),
  wordBefore: repeated(byWord('before')),
  wordEnd: repeated(byWord('end')),
  toChar: awaiting('to'),
  beforeChar: awaiting('before'),
  backToChar: awaiting('backTo'),
  afterChar: awaiting('after'),
  charAgain: findingAgain(false),
  charAgainst: findingAgain(true),
  paragraphBefore: repeated(byParagraph(-1)),
  nextParagraph: repeated(byParagraph(1)),
  promptBefore: wishing('previous'),
  nextPrompt: wishing('next'),
  search: asking('search'),
  searchBack: asking('searchBack'),
  nextMatch: seeking(false),
  matchBefore: seeking(true),
  searchWord: seekingWord(false),
  searchWordBack: seekingWord(true),
  select: selecting('chars'),
  selectLines: selecting('lines'),
  selectBlock: selecting('block'),
  enter: entering,
  copy: copying(),
  copyLine: copyingLine,
  copyRest: copyingRest,
  append: copying({ type: 'append' }),
  pipe: asking('pipe'),
  save: asking('save'),
  output: outputOrOtherEnd,
  clear: escaping,
  leave: leaving,
  help: helping,
};

/** The largest number before a command. */
const maxCount = 1_000_000;

/** Runs the command of a key in scroll mode. Keys without one do nothing; digits are a number for the next one. */
export function pressedInScroll(state: ViewState, scroll: Scroll, press: KeyPress): Step {
  const { awaits, count } = scroll;
  if (awaits !== null) return pressedCharacter(state, { ...scroll, awaits: null }, awaits, press);
  const name = keyText(press);
  const isDigit = /^\d$/.test(name);
  const command = state.keys.command('scroll', press);
  // A number does not begin with 0, which is a command.
  if (isDigit && (command === null || count !== null)) {
    const next = Math.min(maxCount, (count ?? 0) * 10 + Number(name));
    return step({ ...state, scroll: { ...scroll, count: next === 0 ? null : next } });
  }
  const plain = { ...scroll, count: null };
  // Escape only ends the number.
  if (command === null || (command === 'clear' && count !== null))
    return step({ ...state, scroll: plain });
  return inScroll(state, plain, command, count);
}

/** The key after `f` and the like: the character to which the cursor goes. */
function pressedCharacter(
  state: ViewState,
  scroll: Scroll,
  way: CharFind['way'],
  press: KeyPress,
): Step {
  const name = keyText(press);
  const character = name === 'space' ? ' ' : name;
  const isCharacter = [...character].length === 1;
  const find = { way, character };
  const plain = { ...scroll, count: null, lastFind: isCharacter ? find : scroll.lastFind };
  const body = bodyOf(state);
  const next = isCharacter ? foundChar(plain, body, find, { count: scroll.count }) : plain;
  return shown({ ...state, scroll: next }, { ...next, goalCol: cursorCol(next, body) });
}

/**
 * Runs a command of scroll mode.
 *
 * @param count the number that was typed before it
 */
export function inScroll(
  state: ViewState,
  scroll: Scroll,
  command: ScrollCommand,
  count: number | null = null,
): Step {
  const body = bodyOf(state);
  const result = commands[command](scroll, body, { ...state, scroll }, count);
  if ('effects' in result) return result;
  const isVertical = verticalCommands.has(command);
  return shown(state, isVertical ? result : { ...result, goalCol: cursorCol(result, body) });
}

/** Commands after which the cursor keeps the column that it is to return to. */
const verticalCommands: ReadonlySet<ScrollCommand> = new Set([
  ...(['up', 'down', 'pageUp', 'pageDown', 'halfUp', 'halfDown', 'rowUp', 'rowDown'] as const),
]);

/** Rows of one step of the wheel. */
export const wheelRows = 3;

/** The mouse in scroll mode: the wheel scrolls, dragging selects and copies. */
export function mouseInScroll(state: ViewState, scroll: Scroll, mouse: MouseInput): Step {
  const { action, button = action === 'move' ? 'none' : 'left' } = mouse;
  if (action === 'scrollUp' || action === 'scrollDown') {
    const next = scrolledBy(state, scroll, action === 'scrollUp' ? -wheelRows : wheelRows);
    return 'effects' in next ? next : shown(state, next);
  }
  if (action === 'release') return released(state, scroll);
  if (button !== 'left') return step(state);
  if (action === 'press') return clicked(state, scroll);
  return action === 'move' ? dragged(state, scroll, mouse) : step(state);
}

/** Begins with a button that is held, or with a double click, and ends with the button. */
export function mouseFromLive(state: ViewState, scroll: Scroll, move: MouseInput | null): Step {
  const pressed = clicked(state, { ...scroll, endsWithButton: true });
  const next = pressed.state.scroll;
  return move === null || next === null ? pressed : dragged(pressed.state, next, move);
}

/** The end of a drag or double click copies, and leaves the text selected where the person scrolls. */
function released(state: ViewState, scroll: Scroll): Step {
  if (scroll.selection === null) return step(state);
  const next = withCopy(state, scroll);
  const isWaiting = next.state.scroll?.copying != null;
  return scroll.endsWithButton && !isWaiting
    ? { ...left(next.state), effects: next.effects }
    : next;
}

type Cell = Pick<MouseInput, 'row' | 'col'>;

/** Returns the place under the mouse; null if there is no line. */
function placeAt(scroll: Scroll, state: ViewState, { row, col }: Cell): Place | null {
  const visible = seenRows(scroll, bodyOf(state))[row];
  return visible === undefined ? null : placeIn(visible, col);
}

function clicked(state: ViewState, scroll: Scroll): Step {
  const { click } = state;
  const place = click === null ? null : placeAt(scroll, state, click);
  if (click === null || place === null) return step({ ...state, scroll });
  const at = { ...scroll, cursor: place, goalCol: click.col, selection: null };
  if (click.count === 3)
    return shown(state, { ...at, selection: { kind: 'lines', anchor: place } });
  if (click.count === 1) return shown(state, at);
  const word = wordAt(lineCells(scroll, place.line), place.col);
  const anchor = { line: place.line, col: word.from };
  const cursor = { line: place.line, col: word.to - 1 };
  return shown(state, { ...at, cursor, selection: { kind: 'chars', anchor } });
}

/** Selects from where the button was pressed; at the first and last row, the view follows. */
function dragged(state: ViewState, scroll: Scroll, mouse: MouseInput): Step {
  const { click } = state;
  if (!click?.isHeld) return step(state);
  const body = bodyOf(state);
  const isAbove = mouse.row === 0 && click.row > 0;
  const beyond = isAbove ? -1 : mouse.row >= body.rows ? 1 : 0;
  const moved = beyond === 0 ? scroll : scrolled(scroll, beyond, body);
  const cursor = placeAt(moved, state, { ...mouse, row: Math.min(mouse.row, body.rows - 1) });
  if (cursor === null) return step(state);
  const kind = mouse.alt ? 'block' : (scroll.selection?.kind ?? 'chars');
  const anchor = scroll.selection?.anchor ?? scroll.cursor;
  return shown(state, { ...moved, cursor, goalCol: mouse.col, selection: { kind, anchor } });
}
