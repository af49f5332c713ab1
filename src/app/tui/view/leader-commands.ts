import { keyText } from '#keys';
import type { ViewingState } from '#model';
import type { TtyKey } from '#tty';
import { type Command, type KeyMatch, numberOf } from '../keys.ts';
import { frozenFor } from './answers.ts';
import { layoutOf } from './layout.ts';
import { inScroll, pressedInScroll } from './scroll-keys.ts';
import { driverText, shownPart } from './status-line.ts';
import {
  drives,
  type Effect,
  type Pan,
  type Step,
  step,
  type ViewState,
  withNotice,
} from './view-state.ts';

/** Returns the state after a key that follows the leader. */
export function afterLeader(before: ViewState, key: TtyKey): Step {
  const { keys } = before;
  const presses = [...before.sequence, key.press];
  const match = keys.afterLeader('attach', presses);
  if (match === 'more') return step({ ...before, sequence: presses });
  const state = { ...before, leading: false, sequence: [] };
  if (match !== null) return runCommand(state, key, match);
  if (before.sequence.length > 0 && keyText(key.press) === 'escape') return step(state);
  const hint = keys.hint('attach', 'help', 'lists them');
  const text = hint === '' ? 'no command' : `no command: ${hint}`;
  return step(withNotice(state, text), { type: 'ring' });
}

/** Carries out a command. @param key the last key of those that mean it */
export const runCommand = (state: ViewState, key: TtyKey, match: KeyMatch<'attach'>): Step =>
  commands[match.command](state, key, match);

type Run = (state: ViewState, key: TtyKey, match: KeyMatch<'attach'>) => Step;

const prompting =
  (purpose: 'command' | 'grepAll' | 'mark' | 'note' | 'searchBack') =>
  (state: ViewState): Step =>
    step({ ...state, overlay: { type: 'prompt', purpose, line: { text: '', at: 0 } } });

/** Enters scroll mode. Where the person scrolls by the wheel, keys are commands from now on. */
const scrolling = (state: ViewState, entry: NonNullable<ViewState['entry']>): Step =>
  state.scroll === null
    ? frozenFor(state, entry)
    : step({ ...state, scroll: { ...state.scroll, isByWheel: false } });

const pageUp: Run = (state) =>
  state.scroll === null
    ? frozenFor(state, { type: 'rows', rows: -Math.max(1, state.window.rows - 1) })
    : inScroll(state, state.scroll, 'pageUp');

const take: Run = (state) => {
  const { viewing } = state;
  if (viewing === null) return step(state);
  if (state.watches) return step(withNotice(state, 'not sent: this viewer only watches'));
  if (viewing.holds !== true)
    return step(withAsked(state, viewing), { type: 'take', force: false });
  // A note is for an agent. A person who asked is told by the change itself.
  if (viewing.askedBy !== undefined) return step(state, { type: 'give', note: '' });
  return prompting('note')(state);
};

/** Another person is asked first; an agent is not. */
function withAsked(state: ViewState, { drives, driver }: ViewingState): ViewState {
  const hint = state.keys.hint('attach', 'force', 'takes over at once');
  if (drives || driver?.holds !== true || hint === '') return state;
  return withNotice(state, `asked ${driver.name}: ${hint}`);
}

const panned =
  (rows: number, cols: number): Run =>
  (state) => {
    const { screen, pan } = state;
    const { shown } = layoutOf(state);
    if (screen === null) return step(state);
    const row = pan.row + rows * Math.max(1, Math.floor(shown.rows / 2));
    const col = pan.col + cols * Math.max(1, Math.floor(shown.cols / 2));
    const next = withPan(state, { row, col, follows: false });
    const part = shownPart(next, layoutOf(next));
    return step(withNotice(next, part === '' ? 'all of the session is shown' : part));
  };

/** Returns the state with a part of the session that exists. */
function withPan(state: ViewState, { row, col, follows }: Pan): ViewState {
  const { shown } = layoutOf(state);
  const size = state.screen?.size ?? shown;
  const pan = {
    row: Math.max(0, Math.min(row, size.rows - shown.rows)),
    col: Math.max(0, Math.min(col, size.cols - shown.cols)),
    follows,
  };
  const isSame = pan.row === state.pan.row && pan.col === state.pan.col;
  return isSame && follows === state.pan.follows ? state : { ...state, pan };
}

/** Keeps the part that is shown around the cursor. */
export function followed(state: ViewState): ViewState {
  const { screen, pan } = state;
  if (screen === null || !pan.follows) return withPan(state, pan);
  const { shown } = layoutOf(state);
  const { row, col } = screen.cursor;
  return withPan(state, {
    row: nearest(pan.row, row, shown.rows),
    col: nearest(pan.col, col, shown.cols),
    follows: true,
  });
}

/** Returns the first of `count` rows or columns that include `at`, as near to `first` as possible. */
const nearest = (first: number, at: number, count: number): number =>
  Math.max(at - count + 1, Math.min(first, at));

/** Nothing is beside a session here: that is what `vtr ui` is for. */
const splitting: Run = (state) => {
  const where = state.keys.hint('attach', 'overview', 'lists all');
  const text = 'vtr ui shows several side by side';
  return step(withNotice(state, where === '' ? text : `${text} (${where})`));
};

const renaming: Run = (state) => {
  const line = { text: state.session, at: state.session.length };
  return step({ ...state, overlay: { type: 'prompt', purpose: 'rename', line } });
};

const removing: Run = (state) =>
  step({
    ...state,
    overlay: {
      type: 'confirm',
      question: `end and remove ${state.session}?`,
      effect: { type: 'removeAndGo' },
    },
  });

const killing: Run = (state) =>
  step({
    ...state,
    overlay: {
      type: 'confirm',
      question: `kill the program of ${state.session}?`,
      effect: { type: 'kill' },
    },
  });

const imageQuestion = 'copy the image of your clipboard to the machine of the session?';

const searching: Run = (state) => {
  const next = scrolling(state, { type: 'copy' });
  return { ...next, state: prompting('searchBack')(next.state).state };
};

const sendLeader: Run = (state, key) => {
  const { scroll } = state;
  if (scroll !== null && !scroll.isByWheel) return pressedInScroll(state, scroll, key.press);
  return typed(state, { type: 'sendKey', key: { ...key, press: state.keys.leader ?? key.press } });
};

const following = (state: ViewState): ViewState =>
  state.pan.follows ? state : { ...state, pan: { ...state.pan, follows: true } };

const commands: Readonly<Record<Command<'attach'>, Run>> = {
  detach: (state) => step(state, { type: 'detach' }),
  kill: killing,
  record: (state) => step(state, { type: 'record' }),
  resize: (state) => step(state, { type: 'resize' }),
  take,
  force: (state) =>
    state.watches
      ? step(withNotice(state, 'not sent: this viewer only watches'))
      : step(state, { type: 'take', force: true }),
  overview: (state) => step(state, { type: 'overview' }),
  switcher: (state) => step(state, { type: 'switcher' }),
  nextSession: (state) => step(state, { type: 'neighbour', step: 1 }),
  sessionBefore: (state) => step(state, { type: 'neighbour', step: -1 }),
  number: (state, _key, match) => step(state, { type: 'number', number: numberOf(match, 0) }),
  newSession: (state) => step(state, { type: 'newSession' }),
  rename: renaming,
  remove: removing,
  split: splitting,
  clock: (state) => step({ ...state, overlay: { type: 'clock' } }),
  paste: (state) => step(state, { type: 'paste' }),
  editor: (state) => step(state, { type: 'editor' }),
  scroll: (state) => scrolling(state, { type: 'scroll' }),
  pageUp,
  search: searching,
  grepAll: prompting('grepAll'),
  copyMode: (state) => scrolling(state, { type: 'copy' }),
  copyOutput: (state) => step(state, { type: 'copyOutput', command: 'last' }),
  pasteImage: (state) =>
    state.passesImages
      ? step(state, { type: 'pasteImage' })
      : step({
          ...state,
          overlay: { type: 'confirm', question: imageQuestion, effect: { type: 'pasteImage' } },
        }),
  mark: prompting('mark'),
  next: (state) => step(state, { type: 'session', step: 1 }),
  previous: (state) => step(state, { type: 'session', step: -1 }),
  last: (state) => step(state, { type: 'last' }),
  command: prompting('command'),
  sendLeader,
  panUp: panned(-1, 0),
  panDown: panned(1, 0),
  panLeft: panned(0, -1),
  panRight: panned(0, 1),
  follow: (state) => step(followed({ ...state, pan: { ...state.pan, follows: true } })),
  repaint: (state) => step(state, { type: 'repaint' }),
  suspend: (state) => step(state, { type: 'suspend' }),
  help: (state) => step({ ...state, overlay: { type: 'help', top: 0 } }),
};

/** Returns the state after input for the program, which is sent, or the reason why it is not. */
export function typed(
  state: ViewState,
  effect: Extract<Effect, { type: 'sendKey' | 'sendText' }>,
): Step {
  const { connection, viewing } = state;
  if (connection.state === 'ended') return step(state);
  if (connection.state === 'lost' || connection.state === 'silent') {
    const why = connection.state === 'lost' ? 'the connection is lost' : 'it is not answering';
    return step(withNotice(state, `not sent: ${why}`), { type: 'ring' });
  }
  // What is typed again brings back the end, and what is seen around the cursor.
  if (drives(state)) return step({ ...following(state), scroll: null, entry: null }, effect);
  const why = viewing === null ? 'the session is not joined yet' : driverText(state);
  return step(withNotice(state, `not sent: ${why}`));
}
