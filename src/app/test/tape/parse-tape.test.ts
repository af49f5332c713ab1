import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import { vhsTapes } from '../../../../test/support/tapes/vhs-tapes.ts';
import { parseTape } from './parse-tape.ts';

const parse = (text: string, tapes: Readonly<Record<string, string>> = {}) =>
  parseTape('a.tape', text, {
    readTape: (path) => {
      const text = tapes[path];
      if (text === undefined) throw new Error('there is no such file');
      return text;
    },
  });

const actionsOf = (text: string) => {
  const { commands, errors } = parse(text);
  expect(errors.map(String)).toEqual([]);
  return commands.map(({ action }) => action);
};

it('reads a hundred tapes of VHS, and refuses those that VHS refuses', () => {
  expect(vhsTapes.length).toBeGreaterThanOrEqual(100);
  for (const { name, text, error } of vhsTapes) {
    const errors = parse(text).errors.map(String);
    if (error === undefined) expect(errors, name).toEqual([]);
  }
});

describe('each command', () => {
  const keys = (key: object, count = 1, delayMs: number | null = null) => ({
    type: 'keys',
    keys: [key],
    count,
    delayMs,
  });
  const expectation = (scope: string, pattern: string | null, more = {}) => ({
    type: 'expect',
    scope,
    not: false,
    pattern,
    timeoutMs: null,
    ...more,
  });

  it.each([
    ['Type "a \'b\' #c"', { type: 'type', text: "a 'b' #c", delayMs: null }],
    ['Type@.5 one two "three"', { type: 'type', text: 'one two three', delayMs: 500 }],
    ['Type "a"\n"b"', { type: 'type', text: 'a b', delayMs: null }],
    ['Backspace@20ms 18', keys({ key: 'backspace' }, 18, 20)],
    ['F5', keys({ key: 'f5' })],
    ['Ctrl+R', keys({ key: 'r', ctrl: true }, 1, 0)],
    ['Ctrl+Shift+Left', keys({ key: 'left', ctrl: true, shift: true }, 1, 0)],
    ['Ctrl+/', keys({ key: '/', ctrl: true }, 1, 0)],
    ['Ctrl++', keys({ key: '+', ctrl: true }, 1, 0)],
    ['Alt+L', keys({ key: 'L', alt: true }, 1, 0)],
    ['Alt+Ctrl+x', keys({ key: 'x', alt: true, ctrl: true }, 1, 0)],
    ['Wait', expectation('Line', null)],
    ['Wait+Screen@2m /a\\/b/', expectation('Screen', 'a\\/b', { timeoutMs: 120_000 })],
    ['Expect not /x y/', expectation('Screen', 'x y', { not: true })],
    ['Expect+Output /\\\\/', expectation('Output', '\\\\')],
    ['Settle 300ms', { type: 'settle', quietMs: 300 }],
    ['WaitCommand', { type: 'waitCommand', status: null, timeoutMs: null }],
    ['WaitCommand@5s exit 2', { type: 'waitCommand', status: 2, timeoutMs: 5000 }],
    ['Click /OK/', { type: 'click', on: 'OK' }],
    ['Click 3, 10', { type: 'click', on: { row: 3, col: 10 } }],
    ['Exit 0', { type: 'exit', status: 0, timeoutMs: null }],
    ['Resize 100x30', { type: 'resize', size: { cols: 100, rows: 30 } }],
    ['Match a', { type: 'match', name: 'a', masks: [], region: null, styles: false }],
    [
      'Match "a b" styles mask /x/ /y/ region 1,2,3,4 mask /z/',
      {
        type: 'match',
        name: 'a b',
        masks: ['x', 'y', 'z'],
        styles: true,
        region: { row: 1, col: 2, rows: 3, cols: 4 },
      },
    ],
    ['Output a/b.ascii', { type: 'output', path: 'a/b.ascii', format: 'text' }],
    ['Output frames/', { type: 'output', path: 'frames/', format: 'frames' }],
    ['Set LoopOffset 20.99%', { type: 'set', setting: { name: 'LoopOffset', value: 20.99 } }],
    ['Set Theme {"a":\n1}', { type: 'set', setting: { name: 'Theme', value: '{"a":\n1}' } }],
  ])('%s', (text, action) => {
    expect(actionsOf(text)).toEqual([action]);
  });
});

describe('a mistake is reported with its place, and with what is allowed', () => {
  it.each([
    ['Type "x"\nSlep 1s', 'a.tape:2:1: there is no command Slep; did you mean Sleep?'],
    [
      'Sleep',
      'a.tape:1:6: expected a time instead of the end of the line, for example: Sleep 500ms',
    ],
    ['Sleep \nType "x"', 'a.tape:1:6: expected a time instead of the end of the line'],
    ['Sleep\n', 'a.tape:1:6: expected a time instead of the end of the line'],
    ['Sleep soon', 'a.tape:1:7: expected a time instead of soon, for example: Sleep 500ms'],
    ['Type "x', 'a.tape:1:6: the string has no end on its line'],
    ['Wait /(/', 'a.tape:1:6: "(" is not a valid RE2 regular expression'],
    ['a'.repeat(99), `a.tape:1:1: there is no command ${'a'.repeat(59)}…; use Output`],
    [`Sleep ${'a'.repeat(99)}`, `of ${'a'.repeat(59)}…, for example: Sleep 500ms`],
    ['Wait+Scren /x/', 'a.tape:1:6: there is no scope Scren; did you mean Screen?'],
    ['Set FontSise 3', 'a.tape:1:5: there is no setting FontSise; did you mean FontSize?'],
    ['Set CursorBlink yes', 'a.tape:1:17: expected true or false instead of yes'],
    ['Set WindowBar Blue', 'a.tape:1:19: there is no window bar Blue; use Colorful'],
    ['Output x.doc', 'a.tape:1:8: the format of x.doc is unknown; use .txt, .ascii'],
    ['Screenshot x.gif', 'a.tape:1:12: a screenshot cannot be x.gif; use .png, .svg'],
    ['Ctrl+Foo', 'a.tape:1:6: expected one character or the name of a key instead of Foo'],
    ['Ctrl+a+Shift+b', 'a.tape:1:8: modifiers come before the key'],
    ['Match ../x', 'a.tape:1:7: "../x" is not the name of a golden'],
    ['Resize 100', 'a.tape:1:11: expected a size'],
    ['Resize 0x10', 'a.tape:1:9: a size is from 1x1 to 1000x1000'],
    ['Click 3', 'a.tape:1:8: expected a comma'],
    ['Wait@0s', 'a.tape:1:5: the time must be more than 0'],
    ['Source b.tape', 'a.tape:1:8: Source b.tape: there is no such file'],
    ['"Type"', 'a.tape:1:1: there is no command Type'],
  ])('%j', (text, message) => {
    expect(parse(text).errors.map(String)[0]).toContain(message);
  });

  it('all are reported at once', () => {
    expect(parse('Foo\nType "x"\nSleep x\nOutput x.doc\nBar').errors).toHaveLength(4);
  });
});

it('a sourced tape brings its commands and its mistakes, not its outputs', () => {
  const tapes = { 'b.tape': 'Output x.gif\nType "b"\nFoo', 'c.tape': 'Source b.tape' };
  const { commands, errors } = parse('Source b.tape\nType "a"', tapes);
  expect(commands.map(({ file, line }) => `${file}:${line}`)).toEqual(['b.tape:2', 'a.tape:2']);
  expect(errors.map(String)).toEqual([expect.stringContaining('b.tape:3:1: there is no command')]);
  expect(parse('Source c.tape', tapes).errors.map(String).join()).toContain(
    'cannot source another',
  );
});

it('any text is read, or refused with places in it', () => {
  const words = [
    'Type',
    'Ctrl',
    '+',
    '@',
    '"',
    '/',
    'x',
    '5',
    'Set',
    'Theme',
    '{',
    '\n',
    'Match',
    ' ',
  ];
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...words), { maxLength: 20 }).map((list) => list.join('')),
  );
  fc.assert(
    fc.property(text, (each) => {
      const lines = each.split('\n');
      for (const { place } of parse(each).errors) {
        expect(place.line).toBeLessThanOrEqual(lines.length);
        expect(place.column).toBeLessThanOrEqual((lines[place.line - 1] ?? '').length + 1);
      }
    }),
    runs(300),
  );
});
