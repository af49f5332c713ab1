import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import { matchOutput, updatedOutput } from './output-pattern.ts';
import { outputLine, parseTranscript } from './run-transcript.ts';

const none = new Map<string, string>();
const lines = (text: string) => (text === '' ? [] : text.split('|'));
const isMatch = (expected: string, output: string) =>
  matchOutput(lines(expected), lines(output)) !== null;

it.each([
  ['a|b', 'a|b', true],
  ['a|b', 'a', false],
  ['...', '', true],
  ['a|...', 'a|b|c', true],
  ['...|c', 'a|b|c', true],
  ['...|b|...|d', 'a|b|x|b|d', true],
  ['...|b|...|d', 'a|d|b', false],
  ['a|...|a', 'a', false],
  ['took [..] ms', 'took 12 ms', true],
  ['took [..] ms', 'took 12 s', false],
  ['(a) [..].*', '(a) x.*', true],
  ['[..ID..]|id [..ID..]', '7|id 7', true],
  ['[..ID..]|id [..ID..]', '7|id 8', false],
  ['[..A..] [..A..]', 'x x', true],
  ['[..A..] [..A..]', 'x y', false],
  ['[..A..]', '', false],
])('%s matches %s: %j', (expected, output, matches) => {
  expect(isMatch(expected, output)).toBe(matches);
});

it('a named text is kept for later commands', () => {
  const bindings = matchOutput(['started [..ID..]'], ['started 42']) ?? none;
  expect(matchOutput(['[..ID..]'], ['42'], bindings)).not.toBeNull();
  expect(matchOutput(['[..ID..]'], ['43'], bindings)).toBeNull();
});

describe('an update', () => {
  it.each([
    ['a|b', 'a|c', 'a|c'],
    ['took [..] s|old', 'took 3 s|new', 'took [..] s|new'],
    ['a|...|z|old', 'a|1|2|z|new', 'a|...|z|new'],
    ['a|...|z', 'a|1|y', 'a|1|y'],
    ['...|end', 'x|y|end|more', '...|end|more'],
    ['a|...', 'a|b', 'a|...'],
  ])('of %s to %s keeps what matches: %s', (expected, output, updated) => {
    expect(updatedOutput(lines(expected), lines(output), none)).toEqual(lines(updated));
  });

  it('matches the output', () => {
    const line = fc.constantFrom('a', 'b', 'c 1', 'c 2');
    const pattern = fc.oneof(line, fc.constantFrom('...', 'c [..]', 'c [..N..]'));
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 8 }),
        fc.array(line, { maxLength: 8 }),
        (expected, output) => {
          const updated = updatedOutput(expected, output, none);
          expect(matchOutput(updated, output)).not.toBeNull();
          if (matchOutput(expected, output) !== null && !expected.includes('...')) {
            expect(updated).toEqual(expected);
          }
        },
      ),
      runs(500),
    );
  });

  it('writes lines that mean something else with a wildcard', () => {
    const special = ['$ x', '? 1', '...', '```'];
    for (const line of special) expect(isMatch(outputLine(line, 1), line)).toBe(true);
    expect(outputLine('> x', 0)).toBe('[..] x');
    expect(outputLine('> x', 1)).toBe('> x');
  });
});

describe('a Markdown file', () => {
  const fence = '```';
  const parse = (text: string) =>
    parseTranscript(text).commands.map(({ line, input, expected, status }) => ({
      line,
      input,
      expected,
      status,
    }));

  it('has commands in fences marked console', () => {
    const text = `# A\n\n${fence}sh\n$ no\n${fence}\n\n  ${fence}console\n  $ a \\\n  > b\n  x\n  ? 2\n  $ c\n  ${fence}\n$ no\n`;
    expect(parse(text)).toEqual([
      { line: 8, input: 'a \\\nb', expected: ['x'], status: 2 },
      { line: 12, input: 'c', expected: [], status: null },
    ]);
  });

  it('can have the status before the output', () => {
    expect(parse(`${fence}console\n$ a\n? 1\nx\n${fence}`)).toEqual([
      { line: 2, input: 'a', expected: ['x'], status: 1 },
    ]);
  });

  it('needs a command at the beginning of a fence', () => {
    expect(() => parse(`${fence}console\nx\n${fence}`)).toThrow('begins with a command');
  });
});
