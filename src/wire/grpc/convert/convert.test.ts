import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  Cell,
  Color,
  ExitStatus,
  KeyPress,
  ScreenSnapshot,
  Style,
  SubscriptionEvent,
} from '#model';
import {
  ExitStatusSchema,
  GetScreenResponseSchema,
  SendKeyRequestSchema,
  SubscribeEventSchema,
} from '../gen/vtr.gen.ts';
import { toCell } from './cell.ts';
import { fromEvent, toEvent } from './event.ts';
import { fromKeys, toKey } from './key.ts';
import { fromScreen, toScreen } from './screen.ts';
import { exitCodeOf, fromExitStatus, toExitStatus } from './session.ts';
import { durationField, toDuration, toMs } from './time.ts';

const whole = fc.nat({ max: 2 ** 45 });
const color: fc.Arbitrary<Color> = fc.oneof(
  fc.constant(null),
  fc.nat({ max: 255 }),
  fc.nat({ max: 0xffffff }).map((rgb): Color => `#${rgb.toString(16).padStart(6, '0')}`),
);
const style: fc.Arbitrary<Style> = fc.record({
  fg: color,
  bg: color,
  underlineColor: color,
  underline: fc.constantFrom('none', 'single', 'double', 'curly', 'dotted', 'dashed'),
  bold: fc.boolean(),
  dim: fc.boolean(),
  italic: fc.boolean(),
  blink: fc.boolean(),
  inverse: fc.boolean(),
  hidden: fc.boolean(),
  strikethrough: fc.boolean(),
  overline: fc.boolean(),
  link: fc.constantFrom(null, 'https://example.org/'),
});
const cell: fc.Arbitrary<Cell> = fc
  .tuple(fc.constantFrom([' ', 1], ['a', 1], ['e\u0301', 1], ['漢', 2], ['', 0]), style)
  .map(([[text, width], look]) => ({ text, width, style: look }) as Cell);
const size = fc.record({
  cols: fc.integer({ min: 1, max: 8 }),
  rows: fc.integer({ min: 1, max: 4 }),
});

const screen: fc.Arbitrary<ScreenSnapshot> = size.chain(({ cols, rows }) =>
  fc.record({
    revision: whole,
    size: fc.constant({ cols, rows }),
    cursor: fc.record({
      row: fc.nat({ max: 999 }),
      col: fc.nat({ max: 999 }),
      wrapPending: fc.boolean(),
      visible: fc.boolean(),
      shape: fc.constantFrom('block', 'underline', 'bar'),
      blinking: fc.boolean(),
    }),
    alternate: fc.boolean(),
    title: fc.string({ unit: 'grapheme' }),
    topLine: whole,
    text: fc.constant(Array<string>(rows).fill('')),
    cells: fc.array(fc.array(cell, { minLength: cols, maxLength: cols }), {
      minLength: rows,
      maxLength: rows,
    }),
  }),
);

const status: fc.Arbitrary<ExitStatus> = fc.oneof(
  fc.nat({ max: 255 }).map((code) => ({ code, signal: null })),
  fc.constantFrom('SIGKILL', 'SIGTERM').map((signal) => ({ code: null, signal })),
);
const bytes = fc.uint8Array({ maxLength: 20 });
const stamp = { revision: whole, atMs: whole };
const text = fc.string({ unit: 'grapheme' });
const position = fc.record({
  offset: whole,
  line: fc.option(whole),
  col: fc.nat({ max: 1_000_000 }),
});
const placed: fc.Arbitrary<SubscriptionEvent> = fc.oneof(
  fc.record({ type: fc.constant('cwd'), ...stamp, cwd: text, host: text, position }),
  fc.record(
    {
      type: fc.constant('mark'),
      ...stamp,
      mark: fc.constantFrom('promptStart', 'promptEnd', 'commandLine', 'commandStart', 'user'),
      position,
      prompt: fc.constantFrom('continuation', 'right'),
      commandLine: text,
      nonce: text,
    },
    { requiredKeys: ['type', 'revision', 'atMs', 'mark', 'position'] },
  ),
  fc.record({
    type: fc.constant('mark'),
    ...stamp,
    mark: fc.constant('commandEnd'),
    position,
    exitCode: fc.option(fc.integer({ min: -1, max: 255 })),
  }),
  fc.record({
    type: fc.constant('progress'),
    ...stamp,
    state: fc.constantFrom('none', 'normal', 'error', 'indeterminate', 'paused'),
    percent: fc.option(fc.nat({ max: 100 })),
    position,
  }),
  fc.record({ type: fc.constant('notification'), ...stamp, title: text, body: text, position }),
  fc.record({ type: fc.constant('clipboard'), ...stamp, selection: text, text, position }),
);
const event: fc.Arbitrary<SubscriptionEvent> = fc.oneof(
  placed,
  fc.record({
    type: fc.constant('snapshot'),
    ...stamp,
    size,
    dump: bytes,
    firstLine: whole,
    offset: whole,
  }),
  fc.record({ type: fc.constant('output'), ...stamp, offset: whole, bytes }),
  fc.record({ type: fc.constant('resize'), ...stamp, size }),
  fc.record({ type: fc.constant('title'), ...stamp, title: fc.string({ unit: 'grapheme' }) }),
  fc.record({ type: fc.constant('bell'), ...stamp, count: fc.nat() }),
  fc.record({ type: fc.constant('exit'), ...stamp, status }),
);

describe('across the wire nothing is lost of', () => {
  it('a screen, in every look', () => {
    const property = fc.property(screen, (sent) => {
      const message = toBinary(GetScreenResponseSchema, toScreen('one', sent));
      expect(fromScreen(fromBinary(GetScreenResponseSchema, message))).toEqual(sent);
    });
    fc.assert(property);
  });

  it('an event', () => {
    const property = fc.property(event, (sent) => {
      const message = toBinary(SubscribeEventSchema, toEvent(sent));
      expect(fromEvent(fromBinary(SubscribeEventSchema, message))).toEqual(sent);
    });
    fc.assert(property);
  });

  it('an exit status', () => {
    const property = fc.property(status, (sent) => {
      const message = toBinary(ExitStatusSchema, toExitStatus(sent));
      expect(fromExitStatus(fromBinary(ExitStatusSchema, message))).toEqual(sent);
    });
    fc.assert(property);
  });
});

it.each<[ExitStatus, number]>([
  [{ code: 0, signal: null }, 0],
  [{ code: 255, signal: null }, 255],
  [{ code: null, signal: 'SIGINT' }, 130],
  [{ code: null, signal: 'SIGKILL' }, 137],
])('%j is %i as one number', (exitStatus, code) => {
  expect(exitCodeOf(exitStatus)).toBe(code);
});

const plain: Style = {
  fg: null,
  bg: null,
  underlineColor: null,
  underline: 'none',
  bold: false,
  dim: false,
  italic: false,
  blink: false,
  inverse: false,
  hidden: false,
  strikethrough: false,
  overline: false,
  link: null,
};

it('a cell of default colours says so besides its RGB', () => {
  const message = toCell({ text: 'a', width: 1, style: { ...plain, bg: '#e5e5e5' } });
  expect([message.fgColor, message.bgColor]).toEqual([0xe5e5e5, 0xe5e5e5]);
  expect([message.fg, message.bg?.color]).toEqual([undefined, { case: 'rgb', value: 0xe5e5e5 }]);
});

describe('durations', () => {
  it.each([
    [0, 0],
    [-5, 0],
    [1500, 1500],
    [0.25, 0.25],
    [Number.POSITIVE_INFINITY, 86_400_000],
  ])('of %s ms are %s ms', (ms, expected) => {
    expect(toMs(toDuration(ms))).toBe(expected);
  });

  it('never become shorter', () => {
    const property = fc.property(fc.double({ min: 0, max: 86_400_000, noNaN: true }), (ms) => {
      expect(toMs(toDuration(ms))).toBeGreaterThanOrEqual(ms - 1e-6);
    });
    fc.assert(property);
  });

  it('that are none are left out', () => {
    expect([durationField('timeout', undefined), durationField('timeout', Number.NaN)]).toEqual([
      {},
      {},
    ]);
  });
});

it('keys keep what was said about them', () => {
  const keys: (string | KeyPress)[] = ['ctrl+c', '', { key: 'ctrl+c' }, { key: 'a', alt: true }];
  const message = create(SendKeyRequestSchema, { name: 'one', keys: keys.map(toKey) });
  expect(fromKeys(message)).toMatchObject(keys);
  expect(fromKeys(create(SendKeyRequestSchema, { key: 'up' }))).toEqual(['up']);
});
