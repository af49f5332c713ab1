import { silentKeys } from '#keys';
import type { KeyPress, MouseInput } from '#model';
import type { TtyEvent, TtyKey } from '#tty';
import { frozenFor } from './answers.ts';
import { layoutOf } from './layout.ts';
import { afterLeader, runCommand, typed } from './leader-commands.ts';
import { eventInOverlay } from './overlay-keys.ts';
import { mouseInScroll, pressedInScroll, wheelRows } from './scroll-keys.ts';
import { drives, type Step, step, type ViewState, withNotice } from './view-state.ts';

/** Returns the state after what the person typed, pasted or did with the mouse. */
export function withEvent(state: ViewState, event: TtyEvent): Step {
  switch (event.type) {
    case 'key':
      return event.action === 'release' ? released(state, event) : pressed(state, event);
    case 'paste':
      if (state.overlay !== null) return eventInOverlay(state, state.overlay, event);
      // Also while keys are commands: a text is not.
      return typed(state, { ...event, type: 'sendText' });
    case 'bytes':
      return !takesKeys({ ...state, leading: false }) && drives(state)
        ? step(state, { type: 'sendBytes', bytes: event.bytes })
        : step(state);
    case 'mouse':
      return withMouse(withClick(state, event.mouse), event.mouse, event);
    default:
      return step(state);
  }
}

/**
 * The program gets the end of a key only if it gets keys now. It has got the beginning of a modifier
 * that was pressed before the leader.
 */
function released(state: ViewState, key: TtyKey): Step {
  const isProgram =
    isModifier(key) || (!takesKeys(state) && state.keys.direct('attach', key.press) === null);
  return isProgram && drives(state) ? step(state, { type: 'sendKey', key }) : step(state);
}

/** Whether an event is for the view, no matter who drives: the leader, what is typed after it, a key without it. */
export const isForView = (state: ViewState, event: TtyEvent): boolean =>
  takesKeys(state) ||
  (event.type === 'key' &&
    (state.keys.isLeader(event.press) || state.keys.direct('attach', event.press) !== null));

/** Whether keys are for the view. */
const takesKeys = (state: ViewState): boolean =>
  state.overlay !== null || state.leading || (state.scroll !== null && !isOnlyScrolled(state));

/** Whether the person has only scrolled, by the wheel, and may type: the next key is for the program. */
const isOnlyScrolled = (state: ViewState): boolean =>
  state.scroll?.isByWheel === true && drives(state);

/** Keys that go on scrolling after the wheel. */
const isPage = ({ press: { key, ctrl = false, alt = false } }: TtyKey): boolean =>
  (key === 'pageup' || key === 'pagedown') && !ctrl && !alt;

/** Terminals that report all keys also report shift before the key that it changes. */
const isModifier = ({ press }: TtyKey): boolean => silentKeys.has(press.key);

function pressed(state: ViewState, key: TtyKey): Step {
  const { overlay, keys, leading, scroll, connection } = state;
  if (isModifier(key) && takesKeys(state)) return step(state);
  if (overlay !== null) return eventInOverlay(state, overlay, key);
  if (leading) return afterLeader(state, key);
  if (keys.isLeader(key.press)) return step({ ...state, leading: true });
  const direct = keys.direct('attach', key.press);
  if (direct !== null && !isScrollKey(state, key.press)) return runCommand(state, key, direct);
  if (scroll !== null && (!isOnlyScrolled(state) || isPage(key)))
    return pressedInScroll(state, scroll, key.press);
  if (connection.state === 'ended') return pressedAtEnd(state, key);
  if (lacksModifiers(state, key)) return step(state);
  return typed(state, { type: 'sendKey', key });
}

/** Whether the key is a command of scroll mode, or of a program that has ended: it comes before one without the leader. */
function isScrollKey({ scroll, connection, keys }: ViewState, press: KeyPress): boolean {
  const isEnded = connection.state === 'ended';
  if (scroll === null && !isEnded) return false;
  if (scroll !== null && scroll.awaits !== null) return true;
  const isEndedKey = scroll === null && keys.command('ended', press) !== null;
  return isEndedKey || (scroll?.isByWheel !== true && keys.command('scroll', press) !== null);
}

/**
 * Super and hyper are keys of the kitty protocol alone: a program that has not asked for it would get the key without
 * them.
 */
function lacksModifiers({ screen }: ViewState, { press }: TtyKey): boolean {
  const isHeld = press.super === true || press.hyper === true;
  return isHeld && (screen?.modes.kittyFlags ?? 0) === 0;
}

/** The program has ended: its last screen stays, with what can be done. */
function pressedAtEnd(state: ViewState, { press }: TtyKey): Step {
  const { connection, keys } = state;
  const command = keys.command('ended', press);
  const isGone = connection.state === 'ended' && connection.isRemoved;
  if (isGone && (command === 'restart' || command === 'remove')) {
    const hint = keys.hint('ended', 'leave', 'leaves');
    const text = `${state.session} was removed`;
    return step(withNotice(state, hint === '' ? text : `${text}: ${hint}`));
  }
  switch (command) {
    case 'restart':
    case 'remove':
    case 'leave':
      return step(state, { type: command });
    case 'help':
      return step({ ...state, overlay: { type: 'help', top: 0 } });
    case 'scroll':
      return frozenFor(state, { type: 'scroll' });
    case 'search': {
      const { state: next, effects } = frozenFor(state, { type: 'copy' });
      const overlay = { type: 'prompt', purpose: 'searchBack', line: { text: '', at: 0 } } as const;
      return { state: { ...next, overlay }, effects };
    }
    case null:
      return keys.command('scroll', press) === null
        ? step(state)
        : frozenFor(state, { type: 'key', press });
  }
}

/** The mouse is for the program if it asked for it; else the wheel scrolls, and dragging selects. */
function withMouse(state: ViewState, mouse: MouseInput, event: TtyEvent): Step {
  const { overlay, scroll, screen, pan, click } = state;
  if (overlay !== null) return eventInOverlay(state, overlay, event);
  if (scroll !== null) return mouseInScroll(state, scroll, mouse);
  if (screen === null) return step(state);
  const { shown } = layoutOf(state);
  const isProgram = drives(state) && screen.modes.mouseTracking !== 'none';
  if (!isProgram) return ownMouse(state, mouse);
  const isInside = ({ row, col }: { readonly row: number; readonly col: number }): boolean =>
    row < shown.rows && col < shown.cols;
  // The program that has got a press must get the release, wherever the mouse is by then.
  const isDrag = mouse.action === 'move' ? click?.isHeld : mouse.action === 'release';
  const isOfPress = isDrag && click !== null && isInside(click);
  if (!isInside(mouse) && !isOfPress) return step(state);
  const row = Math.min(mouse.row, shown.rows - 1) + pan.row;
  const col = Math.min(mouse.col, shown.cols - 1) + pan.col;
  return step(state, { type: 'sendMouse', mouse: { ...mouse, row, col } });
}

function ownMouse(state: ViewState, mouse: MouseInput): Step {
  const { screen } = state;
  const isWheel = mouse.action === 'scrollUp' || mouse.action === 'scrollDown';
  if (isWheel && screen?.alternate && drives(state)) return wheelAsKeys(state, mouse);
  if (mouse.action === 'scrollUp')
    return frozenFor(state, { type: 'rows', rows: -wheelRows, isByWheel: true });
  // A single click does nothing: it often only chooses the window.
  const { click } = state;
  const isAgain = mouse.action === 'press' && click !== null && click.isHeld && click.count > 1;
  if (isAgain) return frozenFor(state, { type: 'mouse', move: null });
  const isDrag = mouse.action === 'move' && click?.isHeld;
  return isDrag ? frozenFor(state, { type: 'mouse', move: mouse }) : step(state);
}

/** Clicks on one cell within this time are a double click, in ms. */
const doubleClickMs = 400;

/** Remembers presses and releases of the left button. */
function withClick(state: ViewState, { action, button, row, col }: MouseInput): ViewState {
  const { click, nowMs } = state;
  // Some terminals do not say which button was released.
  if (action === 'release' && click !== null)
    return { ...state, click: { ...click, isHeld: false } };
  if (action !== 'press') return state;
  if ((button ?? 'left') !== 'left') return { ...state, click: null };
  const isAgain = click?.row === row && click.col === col && nowMs - click.atMs < doubleClickMs;
  const count = isAgain ? (click.count % 3) + 1 : 1;
  return { ...state, click: { row, col, atMs: nowMs, count, isHeld: true } };
}

/** On the alternate screen, the wheel is cursor keys, as in other terminals: there is no scrollback. */
function wheelAsKeys(state: ViewState, { action }: MouseInput): Step {
  const press = { key: action === 'scrollUp' ? 'up' : 'down' };
  const key = { type: 'key', press, action: 'press', bytes: new Uint8Array(0) } as const;
  return step(
    state,
    ...Array.from({ length: wheelRows }, () => ({ type: 'sendKey', key }) as const),
  );
}
