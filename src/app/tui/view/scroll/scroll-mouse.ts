import type { MouseInput } from '#model';
import { type Step, step } from '../step.ts';
import type { ViewState } from '../view-state.ts';
import { withCopy } from './copying.ts';
import { comparePlaces, type Place } from './lines.ts';
import { bodyOf, shown } from './loading.ts';
import { placeIn, scrolled, seenRows } from './moving.ts';
import { type Click, lineCells, type Scroll } from './scroll.ts';
import { scrolledBy } from './scroll-keys.ts';
import { wordAt } from './selecting.ts';

/** Rows of one step of the wheel. */
export const wheelRows = 3;
/** Clicks at one place within this time are a double click, in ms. */
const doubleClickMs = 400;

/** The mouse in scroll mode: the wheel scrolls, dragging selects and copies. */
export function mouseInScroll(state: ViewState, scroll: Scroll, mouse: MouseInput): Step {
  const { action, button = action === 'move' ? 'none' : 'left' } = mouse;
  if (action === 'scrollUp' || action === 'scrollDown') {
    const next = scrolledBy(state, scroll, action === 'scrollUp' ? -wheelRows : wheelRows);
    return 'effects' in next ? next : shown(state, next);
  }
  // Some terminals do not say which button was released.
  if (action === 'release') return released(state, scroll);
  if (button !== 'left') return step(state);
  if (action === 'press') return clicked(state, scroll, mouse);
  return action === 'move' ? dragged(state, scroll, mouse) : step(state);
}

/** The end of a drag or double click copies, and leaves the text selected. */
function released(state: ViewState, scroll: Scroll): Step {
  const { click, selection } = scroll;
  if (!click?.isHeld) return step(state);
  const next = { ...scroll, click: { ...click, isHeld: false } };
  return selection === null ? shown(state, next) : withCopy(state, next);
}

/** Returns the place under the mouse; null if there is no line. */
function placeAt(scroll: Scroll, state: ViewState, { row, col }: MouseInput): Place | null {
  const seen = seenRows(scroll, bodyOf(state))[row];
  return seen === undefined ? null : placeIn(seen, col);
}

function clicked(state: ViewState, scroll: Scroll, mouse: MouseInput): Step {
  const place = placeAt(scroll, state, mouse);
  if (place === null) return step(state);
  const { click } = scroll;
  const isAgain =
    click !== null &&
    comparePlaces(click.place, place) === 0 &&
    state.nowMs - click.atMs < doubleClickMs;
  const count = isAgain ? (click.count % 3) + 1 : 1;
  const next: Click = { place, atMs: state.nowMs, count, isHeld: true };
  const at = { ...scroll, click: next, cursor: place, goalCol: mouse.col, selection: null };
  if (count === 3) return shown(state, { ...at, selection: { kind: 'lines', anchor: place } });
  if (count === 1) return shown(state, at);
  const word = wordAt(lineCells(scroll, place.line), place.col);
  const anchor = { line: place.line, col: word.from };
  const cursor = { line: place.line, col: word.to - 1 };
  return shown(state, { ...at, cursor, selection: { kind: 'chars', anchor } });
}

/** Selects from where the button was pressed; at the first and last row, the view follows. */
function dragged(state: ViewState, scroll: Scroll, mouse: MouseInput): Step {
  const { click } = scroll;
  if (click === null || !click.isHeld) return step(state);
  const body = bodyOf(state);
  const beyond = mouse.row === 0 ? -1 : mouse.row >= body.rows ? 1 : 0;
  const moved = beyond === 0 ? scroll : scrolled(scroll, beyond, body);
  const cursor = placeAt(moved, state, { ...mouse, row: Math.min(mouse.row, body.rows - 1) });
  if (cursor === null) return step(state);
  const kind = mouse.alt ? 'block' : (scroll.selection?.kind ?? 'chars');
  const anchor = scroll.selection?.anchor ?? click.place;
  return shown(state, { ...moved, cursor, goalCol: mouse.col, selection: { kind, anchor } });
}
