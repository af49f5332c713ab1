import { quoted } from '#base';
import { type MouseButton, type MouseInput, type SendOptions, VtrError } from '#model';
import { type FlagValues, oneOf, text, toggle, wholeNumber } from '../arguments/flags.ts';
import { reach, sessionArgument } from '../arguments/shared-flags.ts';
import { checkWaitFlags } from '../arguments/wait-flags.ts';
import { findSession, type Target } from '../coordinators/addressing.ts';
import { readStdinText } from '../input/read-stdin.ts';
import { sendAndPrint, sendDetails, sendFlags } from '../input/send-and-print.ts';
import { defineVerb } from '../verb.ts';

const actions = ['click', 'drag', 'move', 'scroll'] as const;
const directions = {
  up: 'scrollUp',
  down: 'scrollDown',
  left: 'scrollLeft',
  right: 'scrollRight',
} as const;
const buttons: readonly Exclude<MouseButton, 'none'>[] = [
  'left',
  'middle',
  'right',
  'back',
  'forward',
];

const flags = {
  ...reach,
  text: text('RE', 'instead of ROW,COL: the middle of the only text on the screen that matches RE'),
  button: oneOf(buttons, 'BUTTON', `${buttons.join(', ')} (default left)`),
  count: wholeNumber('N', 'click N times, or scroll N steps (default 1)', { from: 1, to: 100 }),
  shift: toggle('hold shift'),
  alt: toggle('hold alt'),
  ctrl: toggle('hold ctrl'),
  ...sendFlags,
};

type Given = FlagValues<typeof flags>;
type Place = Pick<MouseInput, 'row' | 'col'>;

export const mouse = defineVerb({
  name: 'mouse',
  summary: 'use the mouse in a session',
  args: {
    session: sessionArgument,
    action: { about: 'click, drag, move or scroll', completes: actions },
    place: {
      about:
        'ROW,COL of the screen, from 0; drag takes two or more; scroll takes up, down, left or right first, and needs no ROW,COL',
      many: true,
      optional: true,
      completes: Object.keys(directions),
    },
  },
  flags,
  details: [
    'ROW,COL are as in vtr screen --cells and in the cursor of vtr screen --json. --text takes a regular expression (RE2) that must match once on the screen, within one row.',
    'Events are encoded as the program requested; events that it did not request are not sent. If nothing is sent, the exit status is 1. It is also 1 if --text matches nothing, or several places, which are listed. On the alternate screen in mode 1007, a step of scrolling sends five cursor keys, as in xterm.',
    ...sendDetails,
  ],
  examples: [
    { line: 'vtr mouse edit click 4,10', about: 'click in row 4, column 10' },
    { line: `vtr mouse menu click --text '\\[ OK \\]'`, about: 'click on a text' },
    { line: 'vtr mouse edit click 4,10 --count 2', about: 'click twice' },
    { line: 'vtr mouse edit drag 4,10 6,0', about: 'press, move and release' },
    { line: 'vtr mouse log scroll down --count 3', about: 'turn the wheel three steps' },
  ],
  async run(context, { args, flags }) {
    checkWaitFlags(flags);
    const action = actionOf(args.action);
    const words = [...(args.place ?? [])];
    const toEvents =
      action === 'scroll' ? wheelOf(directionOf(words.shift()), flags) : buttonOf(action, flags);
    const places = words.map(placeOf);
    checkPlaces(action, places, flags);
    const target = await findSession(context, args.session, flags);
    const at = places.length === 0 ? await defaultPlaces(target, flags) : places;
    const events = toEvents(at);
    const send = (options: SendOptions) => {
      const on = flags.text === undefined ? {} : { on: flags.text };
      return target.coordinator.sendMouse(target.session, events, { ...options, ...on });
    };
    return sendAndPrint(context, target, flags, send, 'vtr mouse');
  },
});

const wrong = (message: string) => new VtrError('INVALID_ARGUMENT', message);

/** @throws VtrError INVALID_ARGUMENT */
function actionOf(word: string): (typeof actions)[number] {
  const action = actions.find((each) => each === word);
  if (action !== undefined) return action;
  throw wrong(`the mouse has no action ${quoted(word)}; use ${actions.join(', ')}`);
}

/** @throws VtrError INVALID_ARGUMENT */
function directionOf(word = ''): (typeof directions)[keyof typeof directions] {
  for (const [name, action] of Object.entries(directions)) if (name === word) return action;
  throw wrong('scroll needs a direction: up, down, left or right');
}

/** @throws VtrError INVALID_ARGUMENT */
function placeOf(word: string): Place {
  const [, row, col] = /^(\d+),(\d+)$/.exec(word) ?? [];
  if (row !== undefined && col !== undefined) return { row: Number(row), col: Number(col) };
  throw wrong(`${quoted(word)} is not a place on the screen; use ROW,COL, such as 4,10`);
}

/** @throws VtrError INVALID_ARGUMENT */
function checkPlaces(action: (typeof actions)[number], places: readonly Place[], values: Given) {
  const { button, count, text: on } = values;
  if (button !== undefined && (action === 'move' || action === 'scroll')) {
    throw wrong(`${action} takes no --button`);
  }
  if (count !== undefined && action === 'move') throw wrong('move takes no --count');
  const isOnText = on !== undefined;
  if (action === 'drag') {
    if (isOnText) throw wrong('drag takes places, not --text');
    if (places.length < 2) throw wrong('drag needs two or more ROW,COL');
    return;
  }
  if (isOnText && places.length > 0) throw wrong('give either ROW,COL or --text');
  if (places.length > 1) throw wrong(`${action} takes one ROW,COL`);
  if (places.length === 0 && !isOnText && action !== 'scroll') {
    throw wrong(`${action} needs ROW,COL or --text`);
  }
}

/** The middle of the screen, for scrolling; of events on a text, the place is not used. */
async function defaultPlaces({ coordinator, session }: Target, { text: on }: Given) {
  if (on !== undefined) return [{ row: 0, col: 0 }];
  const { size } = await coordinator.info(session);
  return [{ row: Math.floor(size.rows / 2), col: Math.floor(size.cols / 2) }];
}

const buttonOf =
  (action: 'click' | 'drag' | 'move', { button = 'left', count = 1, ...options }: Given) =>
  (places: readonly Place[]): MouseInput[] => {
    const all = places.map((place) => ({ ...place, ...heldOf(options) }));
    const [first, last] = [all[0] as Place, all.at(-1) as Place];
    if (action === 'move') return [{ action: 'move', ...first }];
    const click: MouseInput[] = [
      { action: 'press', button, ...first },
      ...all.slice(1).map((place): MouseInput => ({ action: 'move', button, ...place })),
      { action: 'release', button, ...last },
    ];
    return Array.from({ length: count }, () => click).flat();
  };

const wheelOf =
  (action: MouseInput['action'], { count = 1, ...options }: Given) =>
  ([place]: readonly Place[]): MouseInput[] => {
    const step = { action, ...(place as Place), ...heldOf(options) };
    return Array.from({ length: count }, () => step);
  };

const heldOf = ({ shift, alt, ctrl }: Pick<Given, 'shift' | 'alt' | 'ctrl'>) => ({
  shift,
  alt,
  ctrl,
});

export const raw = defineVerb({
  name: 'raw',
  summary: 'send bytes, written in hexadecimal',
  args: {
    session: sessionArgument,
    hex: {
      about: 'two digits per byte; blanks are ignored',
      many: true,
      optional: true,
    },
  },
  flags: { ...reach, stdin: toggle('read the digits from stdin'), ...sendFlags },
  details: ['Sends at most 1 MiB per call.', ...sendDetails],
  examples: [
    { line: 'vtr raw codex 1b5b41', about: 'send ESC [ A' },
    { line: 'vtr raw codex 68 69 0d', about: 'send "hi" and a carriage return' },
    { line: 'xxd -p photo.raw | vtr raw codex --stdin', about: 'send a file' },
  ],
  async run(context, { args, flags }) {
    checkWaitFlags(flags);
    if (args.hex.length > 0 === flags.stdin) {
      throw new VtrError('INVALID_ARGUMENT', 'give the bytes either as arguments or with --stdin');
    }
    const hex = flags.stdin ? await readStdinText(context) : args.hex.join('');
    const bytes = bytesOf(hex);
    const target = await findSession(context, args.session, flags);
    const send = (options: SendOptions) =>
      target.coordinator.sendBytes(target.session, bytes, options);
    return sendAndPrint(context, target, flags, send, 'vtr raw');
  },
});

/** @throws VtrError INVALID_ARGUMENT */
function bytesOf(hex: string): Uint8Array {
  const digits = hex.replaceAll(/\s/g, '');
  const wrong = /[^0-9a-fA-F]/.exec(digits);
  if (wrong !== null) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      `${quoted(wrong[0])} is not a hexadecimal digit; write bytes such as 1b5b41`,
    );
  }
  if (digits.length % 2 === 1) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      `odd number of hexadecimal digits (${digits.length}); write two per byte`,
    );
  }
  return Buffer.from(digits, 'hex');
}
