import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ExitStatusSchema,
  ExplainAgentResponseSchema,
  GetActivityResponseSchema,
  GetScreenResponseSchema,
  ListCommandsResponseSchema,
  ReadResponseSchema,
  RowFrameSchema,
  RunCommandResponseSchema,
  SendKeyRequestSchema,
  SubscribeEventSchema,
  WaitConditionsSchema,
  WaitResultSchema,
} from '#messages';
import {
  type ExitStatus,
  type KeyPress,
  type RowFrame,
  runsOfCells,
  type ScreenSnapshot,
  type Style,
  type ViewModes,
} from '#model';
import {
  activity,
  commandList,
  conditions,
  event,
  explainedAgent,
  readResult,
  runResult,
  screen,
  status,
  waitResult,
} from '../../../../test/support/service/random-answers.ts';
import { fromActivity, fromExplainedAgent, toActivity, toExplainedAgent } from './activity.ts';
import { fromCommandList, toCommandList } from './command.ts';
import { fromEvent, toEvent } from './event.ts';
import { durationField, toDuration, toMs } from './field.ts';
import { fromFrame, toFrame } from './frame.ts';
import { fromKeys, toKey } from './input.ts';
import { fromReadResult, toReadResult } from './read.ts';
import { fromRunResult, toRunResult } from './run.ts';
import { fromScreen, toCell, toScreen } from './screen.ts';
import { exitCodeOf, fromExitStatus, toExitStatus } from './session.ts';
import { fromConditions, fromWaitResult, toConditions, toWaitResult } from './wait.ts';

describe('the wire preserves', () => {
  it('a screen in every style', () => {
    const property = fc.property(screen, (original) => {
      const message = toBinary(GetScreenResponseSchema, toScreen('one', original));
      expect(fromScreen(fromBinary(GetScreenResponseSchema, message))).toEqual(original);
    });
    fc.assert(property);
  });

  it('a frame of rows', () => {
    const keyModes = {
      applicationCursorKeys: fc.boolean(),
      applicationKeypad: fc.boolean(),
      backarrowSendsBackspace: fc.boolean(),
      newLine: fc.boolean(),
      bracketedPaste: fc.boolean(),
      alternateScreen: fc.boolean(),
      modifyOtherKeys: fc.constantFrom(0, 1, 2),
      formatOtherKeys: fc.constantFrom(0, 1),
      kittyFlags: fc.nat({ max: 31 }),
    };
    const rgb = fc.nat({ max: 0xffffff });
    const modes: fc.Arbitrary<ViewModes> = fc.record({
      ...keyModes,
      mouseTracking: fc.constantFrom('none', 'x10', 'normal', 'button', 'any'),
      mouseEncoding: fc.constantFrom('default', 'utf8', 'sgr', 'urxvt', 'sgrPixels'),
      focusReporting: fc.boolean(),
      alternateScroll: fc.boolean(),
      reverseVideo: fc.boolean(),
      insert: fc.boolean(),
      origin: fc.boolean(),
      autowrap: fc.boolean(),
      palette: fc.dictionary(fc.nat({ max: 255 }).map(String), rgb),
      foreground: fc.option(rgb),
      background: fc.option(rgb),
      cursorColor: fc.option(rgb),
    });
    const check = (
      { cells = [], topLine: _line, text: _text, ...look }: ScreenSnapshot,
      more: Pick<RowFrame, 'full' | 'modes'>,
    ) => {
      const rows = cells.map((row, at) => ({ row: at * 2, runs: runsOfCells(row) }));
      const frame: RowFrame = { ...look, ...more, rows };
      const message = fromBinary(RowFrameSchema, toBinary(RowFrameSchema, toFrame('id', frame)));
      expect(message.sessionId).toBe('id');
      expect(fromFrame(message)).toEqual(frame);
    };
    fc.assert(fc.property(screen, fc.record({ full: fc.boolean(), modes }), check));
  });

  it('an event', () => {
    const property = fc.property(event, (original) => {
      const message = toBinary(SubscribeEventSchema, toEvent(original));
      expect(fromEvent(fromBinary(SubscribeEventSchema, message))).toEqual(original);
    });
    fc.assert(property);
  });

  it('an exit status', () => {
    const property = fc.property(status, (original) => {
      const message = toBinary(ExitStatusSchema, toExitStatus(original));
      expect(fromExitStatus(fromBinary(ExitStatusSchema, message))).toEqual(original);
    });
    fc.assert(property);
  });
});

describe('the wire preserves, about output,', () => {
  it('the conditions of a wait', () => {
    const property = fc.property(conditions, (original) => {
      const message = toBinary(
        WaitConditionsSchema,
        create(WaitConditionsSchema, toConditions(original)),
      );
      expect(fromConditions(fromBinary(WaitConditionsSchema, message))).toMatchObject(original);
    });
    fc.assert(property);
  });

  it('the result of a wait', () => {
    const property = fc.property(waitResult, (original) => {
      const message = toBinary(WaitResultSchema, toWaitResult(original));
      expect(fromWaitResult(fromBinary(WaitResultSchema, message))).toEqual(original);
    });
    fc.assert(property);
  });

  it('the result of a read', () => {
    const property = fc.property(readResult, (original) => {
      const message = toBinary(ReadResponseSchema, toReadResult(original));
      expect(fromReadResult(fromBinary(ReadResponseSchema, message))).toEqual(original);
    });
    fc.assert(property);
  });

  it('the commands of a shell', () => {
    const property = fc.property(commandList, (original) => {
      const message = toBinary(ListCommandsResponseSchema, toCommandList(original));
      expect(fromCommandList(fromBinary(ListCommandsResponseSchema, message))).toEqual(original);
    });
    fc.assert(property);
  });

  it('the result of a run', () => {
    const property = fc.property(runResult, (original) => {
      const message = toBinary(RunCommandResponseSchema, toRunResult(original));
      expect(fromRunResult(fromBinary(RunCommandResponseSchema, message))).toEqual(original);
    });
    fc.assert(property);
  });

  it('an activity', () => {
    const property = fc.property(activity, (original) => {
      const message = toBinary(GetActivityResponseSchema, toActivity(original));
      expect(fromActivity(fromBinary(GetActivityResponseSchema, message))).toEqual(original);
    });
    fc.assert(property);
  });

  it('the explanation of an agent', () => {
    const property = fc.property(explainedAgent, (original) => {
      const response = create(ExplainAgentResponseSchema, toExplainedAgent(original));
      const message = toBinary(ExplainAgentResponseSchema, response);
      const received = fromBinary(ExplainAgentResponseSchema, message);
      expect(fromExplainedAgent(received)).toEqual(original);
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

it('a cell has both the RGB of its colours and the colours that were set', () => {
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

  it('are never rounded down', () => {
    const property = fc.property(fc.double({ min: 0, max: 86_400_000, noNaN: true }), (ms) => {
      expect(toMs(toDuration(ms))).toBeGreaterThanOrEqual(ms - 1e-6);
    });
    fc.assert(property);
  });

  it('that are absent or NaN are left out', () => {
    expect([durationField('timeout', undefined), durationField('timeout', Number.NaN)]).toEqual([
      {},
      {},
    ]);
  });
});

it('the wire preserves keys in both forms', () => {
  const keys: (string | KeyPress)[] = [
    'ctrl+c',
    '',
    { key: 'ctrl+c' },
    { key: 'a', alt: true },
    { key: '7', shift: true, shiftedKey: '/', action: 'repeat' },
    { key: 'с', ctrl: true, baseLayoutKey: 'c', action: 'release' },
  ];
  const message = create(SendKeyRequestSchema, { name: 'one', keys: keys.map(toKey) });
  expect(fromKeys(message)).toMatchObject(keys);
  expect(fromKeys(create(SendKeyRequestSchema, { key: 'up' }))).toEqual(['up']);
});
