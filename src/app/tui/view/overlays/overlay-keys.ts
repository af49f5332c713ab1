import { keyText } from '#keys';
import type { TtyEvent } from '#tty';
import { edited } from '../../line-editor.ts';
import { frozenFor } from '../scroll/answers.ts';
import { bodyOf, shown } from '../scroll/loading.ts';
import { goneTo } from '../scroll/moving.ts';
import { withSearch } from '../scroll/searching.ts';
import { type Step, step, type ViewState, withNotice } from '../view-state.ts';
import { helpRows } from './help.ts';
import type { Overlay, PromptPurpose } from './overlay.ts';

type Shown<Type extends Overlay['type']> = Extract<Overlay, { type: Type }>;

const closed = (state: ViewState): ViewState => ({ ...state, overlay: null });

/** Returns the state after a key, a paste or a mouse event while an overlay is shown. */
export function eventInOverlay(state: ViewState, overlay: Overlay, event: TtyEvent): Step {
  if (overlay.type === 'prompt') return inPrompt(state, overlay, event);
  if (event.type === 'mouse' && overlay.type !== 'confirm') {
    const rows = { scrollUp: -3, scrollDown: 3 }[event.mouse.action as string] ?? 0;
    return step(movedBy(state, overlay, rows));
  }
  if (event.type !== 'key') return step(state);
  const key = keyText(event.press);
  switch (overlay.type) {
    case 'confirm':
      return inConfirm(state, overlay, key);
    case 'help':
      return inHelp(state, overlay, key);
    case 'results':
      return inResults(state, overlay, key);
  }
}

function inConfirm(state: ViewState, { effect }: Shown<'confirm'>, key: string): Step {
  if (key === 'y' || key === 'Y') return step(closed(state), effect);
  const isNo = ['n', 'N', 'escape', 'q', 'ctrl+c', 'enter'].includes(key);
  return step(isNo ? closed(state) : state);
}

/** Rows by which keys move in lists. */
function rowsOf(key: string, page: number): number | null {
  const rows: Readonly<Record<string, number>> = {
    ...{ up: -1, k: -1, 'ctrl+p': -1, down: 1, j: 1, 'ctrl+n': 1 },
    ...{ pageup: -page, 'ctrl+b': -page, pagedown: page, 'ctrl+f': page, space: page },
    ...{ home: -Infinity, g: -Infinity, end: Infinity, G: Infinity },
  };
  return rows[key] ?? null;
}

const isLeaving = (key: string): boolean => ['q', 'escape', 'ctrl+c'].includes(key);

function movedBy(state: ViewState, overlay: Overlay, rows: number): ViewState {
  if (overlay.type === 'help') {
    const last = Math.max(0, helpRows(state).length - (state.window.rows - 1));
    return { ...state, overlay: { ...overlay, top: clamped(overlay.top + rows, last) } };
  }
  if (overlay.type !== 'results') return state;
  const selected = clamped(overlay.selected + rows, overlay.found.length - 1);
  return { ...state, overlay: { ...overlay, selected } };
}

const clamped = (value: number, last: number): number => Math.max(0, Math.min(value, last));

function inHelp(state: ViewState, overlay: Shown<'help'>, key: string): Step {
  const rows = rowsOf(key, Math.max(1, state.window.rows - 2));
  if (rows !== null) return step(movedBy(state, overlay, rows));
  return step(isLeaving(key) || key === '?' || key === 'enter' ? closed(state) : state);
}

function inResults(state: ViewState, overlay: Shown<'results'>, key: string): Step {
  if (isLeaving(key)) return step(closed(state));
  const found = overlay.found[overlay.selected];
  if (key === 'enter' && found !== undefined) {
    const { session, line } = found;
    if (session === state.session) return goneToLine(closed(state), line);
    return step(closed(state), { type: 'goTo', session, line });
  }
  const rows = rowsOf(key, Math.max(1, state.window.rows - 3));
  return step(rows === null ? state : movedBy(state, overlay, rows));
}

/** Shows a line in scroll mode. */
export function goneToLine(state: ViewState, line: number): Step {
  const { scroll } = state;
  if (scroll === null) return frozenFor(state, { type: 'goTo', line });
  return shown(state, goneTo(scroll, { line, col: 0 }, bodyOf(state)));
}

function inPrompt(state: ViewState, overlay: Shown<'prompt'>, event: TtyEvent): Step {
  const { line, purpose } = overlay;
  const key = event.type === 'key' ? keyText(event.press) : '';
  if (key === 'enter') return accepted(closed(state), purpose, line.text);
  const isEmptied = key === 'backspace' && line.text === '';
  if (key === 'escape' || key === 'ctrl+c' || isEmptied) return cancelled(closed(state), purpose);
  const next = edited(line, event);
  return step(next === null ? state : { ...state, overlay: { ...overlay, line: next } });
}

/** A note that is not wanted does not keep the person from giving back: that was decided before. */
const cancelled = (state: ViewState, purpose: PromptPurpose): Step =>
  purpose === 'note' ? step(withNotice(state, 'you still drive')) : step(state);

function accepted(state: ViewState, purpose: PromptPurpose, text: string): Step {
  const { scroll } = state;
  switch (purpose) {
    case 'note':
      return step(state, { type: 'give', note: text });
    case 'command':
      return text.trim() === '' ? step(state) : step(state, { type: 'command', line: text });
    case 'mark':
      return text.trim() === '' ? step(state) : step(state, { type: 'mark', label: text });
    case 'grepAll':
      return text === '' ? step(state) : step(state, { type: 'grepAll', pattern: text });
    case 'line': {
      const number = Number(text);
      const isNumber = text.trim() !== '' && Number.isSafeInteger(number);
      return isNumber
        ? goneToLine(state, Math.max(0, number - 1))
        : step(withNotice(state, `${text} is not the number of a line`));
    }
    case 'search':
    case 'searchBack': {
      const source = text === '' ? (scroll?.search?.source ?? '') : text;
      if (scroll === null || source === '') return step(state);
      const next = withSearch(scroll, source, purpose === 'searchBack');
      return step({ ...state, scroll: next.scroll }, next.effect);
    }
  }
}
