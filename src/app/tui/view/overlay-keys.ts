import { keyText } from '#keys';
import type { KeyPress } from '#model';
import type { TtyEvent } from '#tty';
import type { Command } from '../keys.ts';
import { edited } from '../line-editor.ts';
import { frozenFor } from './answers.ts';
import { bodyOf, shown } from './loading.ts';
import { goneTo } from './moving.ts';
import { helpRows } from './overlay-rows.ts';
import { copiedTo } from './scroll-keys.ts';
import { withSearch } from './searching.ts';
import {
  type Action,
  type Overlay,
  type PromptPurpose,
  type Step,
  step,
  type ViewState,
  withNotice,
} from './view-state.ts';

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
  switch (overlay.type) {
    case 'confirm':
      return inConfirm(state, overlay, event.press);
    case 'help':
      return inHelp(state, overlay, event.press);
    case 'results':
      return inResults(state, overlay, event.press);
    case 'page':
      return inHelp(state, overlay, event.press);
    case 'clock':
      return step(closed(state));
  }
}

function inConfirm(state: ViewState, { effect }: Shown<'confirm'>, press: KeyPress): Step {
  const answer = state.keys.command('confirm', press);
  const passesImages = state.passesImages || effect.type === 'pasteImage';
  if (answer === 'yes') return step({ ...closed(state), passesImages }, effect);
  return step(answer === 'no' ? closed(state) : state);
}

/** Rows by which the commands of lists move. */
const rowsOf = (command: Command<'help'> | Command<'results'>, page: number): number =>
  ({
    up: -1,
    down: 1,
    pageUp: -page,
    pageDown: page,
    first: -Infinity,
    last: Infinity,
    show: 0,
    leave: 0,
  })[command];

function movedBy(state: ViewState, overlay: Overlay, rows: number): ViewState {
  if (overlay.type === 'help') {
    const last = Math.max(0, helpRows(state).length - (state.window.rows - 1));
    return { ...state, overlay: { ...overlay, top: clamped(overlay.top + rows, last) } };
  }
  if (overlay.type === 'page') {
    const last = Math.max(0, overlay.lines.length - (state.window.rows - 1));
    return { ...state, overlay: { ...overlay, top: clamped(overlay.top + rows, last) } };
  }
  if (overlay.type !== 'results') return state;
  const selected = clamped(overlay.selected + rows, overlay.matches.length - 1);
  return { ...state, overlay: { ...overlay, selected } };
}

const clamped = (value: number, last: number): number => Math.max(0, Math.min(value, last));

function inHelp(state: ViewState, overlay: Shown<'help' | 'page'>, press: KeyPress): Step {
  const command = state.keys.command('help', press);
  if (command === null) return step(state);
  if (command === 'leave') return step(closed(state));
  return step(movedBy(state, overlay, rowsOf(command, Math.max(1, state.window.rows - 2))));
}

function inResults(state: ViewState, overlay: Shown<'results'>, press: KeyPress): Step {
  const command = state.keys.command('results', press);
  if (command === null) return step(state);
  if (command === 'leave') return step(closed(state));
  const hit = overlay.matches[overlay.selected];
  if (command === 'show') {
    if (hit === undefined) return step(state);
    const { session, line } = hit;
    if (session === state.session) return goneToLine(closed(state), line);
    return step(closed(state), { type: 'goTo', session, line });
  }
  return step(movedBy(state, overlay, rowsOf(command, Math.max(1, state.window.rows - 3))));
}

/** Shows a line in scroll mode. */
export function goneToLine(state: ViewState, line: number): Step {
  const { scroll } = state;
  if (scroll === null) return frozenFor(state, { type: 'goTo', line });
  return shown(state, goneTo(scroll, { line, col: 0 }, bodyOf(state)));
}

function inPrompt(state: ViewState, overlay: Shown<'prompt'>, event: TtyEvent): Step {
  const { line, purpose } = overlay;
  const command = event.type === 'key' ? state.keys.command('line', event.press) : null;
  if (command === 'accept') return accepted(closed(state), purpose, line.text);
  const isEmptied =
    line.text === '' && event.type === 'key' && keyText(event.press) === 'backspace';
  if (command === 'cancel' || isEmptied) return cancelled(closed(state), purpose);
  if (purpose === 'command') {
    if (command === 'complete')
      return step(state, { type: 'complete', line: line.text.slice(0, line.at) });
    if (command === 'up' || command === 'down')
      return step(withEarlier(state, overlay, command === 'up' ? 1 : -1));
  }
  const next = edited(line, event);
  return step(
    next === null ? state : { ...state, overlay: { type: 'prompt', purpose, line: next } },
  );
}

/** Shows the command that was typed before the one that is shown, or after it. */
function withEarlier(state: ViewState, overlay: Shown<'prompt'>, by: 1 | -1): ViewState {
  const { commandLines } = state;
  const at = (overlay.earlier ?? -1) + by;
  const text = at < 0 ? '' : commandLines.at(-1 - at);
  if (text === undefined) return state;
  const line = { text, at: text.length };
  const { earlier: _, choices: __, ...prompt } = overlay;
  return { ...state, overlay: { ...prompt, line, ...(at < 0 ? {} : { earlier: at }) } };
}

/** Completes the word before the cursor, as far as all that it can become agree. */
export function withCompletion(
  state: ViewState,
  { line: typed, words }: Extract<Action, { type: 'completed' }>,
): ViewState {
  const { overlay } = state;
  if (overlay?.type !== 'prompt' || overlay.purpose !== 'command') return state;
  const { text, at } = overlay.line;
  // The person has typed on.
  if (text.slice(0, at) !== typed) return state;
  const [first = ''] = words;
  const start = typed.length - (/\S*$/.exec(typed)?.[0].length ?? 0);
  let { length } = first;
  while (!words.every((word) => word.startsWith(first.slice(0, length)))) length--;
  const only = words.length === 1 && !first.endsWith('/') ? ' ' : '';
  const put = words.length === 0 ? typed.slice(start) : first.slice(0, length) + only;
  const line = { text: typed.slice(0, start) + put + text.slice(at), at: start + put.length };
  const choices = words.length > 1 ? { choices: words } : {};
  return { ...state, overlay: { type: 'prompt', purpose: 'command', line, ...choices } };
}

/** A note that is not wanted does not keep the person from giving back: that was decided before. */
const cancelled = (state: ViewState, purpose: PromptPurpose): Step =>
  purpose === 'note' ? step(withNotice(state, 'you still hold it')) : step(state);

/** Commands that are remembered. */
const maxCommands = 100;

function commanded(state: ViewState, line: string): Step {
  if (line.trim() === '') return step(state);
  const others = state.commandLines.filter((each) => each !== line);
  const commandLines = [...others, line].slice(-maxCommands);
  return step({ ...state, commandLines }, { type: 'command', line });
}

function accepted(state: ViewState, purpose: PromptPurpose, text: string): Step {
  const { scroll } = state;
  switch (purpose) {
    case 'note':
      return step(state, { type: 'give', note: text });
    case 'command':
      return commanded(state, text);
    case 'rename':
      return text.trim() === '' || text === state.session
        ? step(state)
        : step(state, { type: 'rename', name: text.trim() });
    case 'pipe':
      return text.trim() === '' ? step(state) : copiedTo(state, { type: 'pipe', command: text });
    case 'save':
      return text.trim() === ''
        ? step(state)
        : copiedTo(state, { type: 'file', path: text.trim() });
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
