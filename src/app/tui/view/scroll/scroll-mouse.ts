import type { MouseInput } from '#model';
import { type Step, step, type ViewState } from '../view-state.ts';
import { withCopy } from './copying.ts';
import type { Place } from './lines.ts';
import { bodyOf, shown } from './loading.ts';
import { placeIn, scrolled, seenRows } from './moving.ts';
import { lineCells, type Scroll } from './scroll.ts';
import { left, scrolledBy } from './scroll-keys.ts';
import { wordAt } from './selecting.ts';

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
  const seen = seenRows(scroll, bodyOf(state))[row];
  return seen === undefined ? null : placeIn(seen, col);
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
