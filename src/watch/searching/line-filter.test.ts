import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { runs } from '../../../test/support/run/runs.ts';
import { LineFilter, limitStates } from './line-filter.ts';

const atoms = [
  'a',
  'b',
  'ß',
  '語',
  '🚀',
  '.',
  ' ',
  '[a-c]',
  '[^b]',
  '\\d',
  '\\w',
  '\\b',
  '\\B',
  '^',
  '$',
];
const classes = ['\\pL', '\\PL', '[[:upper:]]', '[ß-語]', '(?i:Ab)', '(?m:^)', '(?s:.)', ''];
const operators = ['*', '+', '?', '{2}', '{1,3}', '*?'];

const pattern = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...atoms, ...classes),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => a + b),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(tie('node'), fc.constantFrom(...operators)).map(([a, op]) => `(${a})${op}`),
  ),
})).node;

const text = fc
  .array(fc.constantFrom('a', 'b', 'B', 'c', '1', ' ', '_', 'ß', 'é', '語', '🚀'), {
    maxLength: 12,
  })
  .map((characters) => characters.join(''));

/** Returns the indexes of the lines that the filter finds. */
function indexesFound(filter: LineFilter, lines: readonly string[]): number[] {
  const bytes = encodeUtf8(`\0${lines.map((line) => `${line}\n`).join('')}\n`);
  const numbers: number[] = [];
  for (let next = 1; ; ) {
    const at = filter.find(bytes, next, bytes.length - 1);
    if (at < 0) return numbers;
    numbers.push(bytes.subarray(1, at).filter((byte) => byte === 0x0a).length);
    next = bytes.indexOf(0x0a, at) + 1;
  }
}

const isFound = (filter: LineFilter, line: string): boolean =>
  indexesFound(filter, [line]).length > 0;

/** The internals of re2js that vtr uses; see automaton.ts. */
describe('re2js internals', () => {
  const advice = (what: string): string =>
    `re2js has changed: ${what}. See src/watch/searching/line-filter.ts`;
  const [unanchored, textBegins, textEnd] = [0, 0b101, -1];
  const automatonOf = (source: string) => RE2JS.compile(source).re2().dfa;

  /** Steps over a text from its beginning, and returns whether its end is a match. */
  function matchesAtEnd(source: string, characters: string): boolean {
    const dfa = automatonOf(source);
    let state = dfa.makeState([dfa.prog.start], textBegins, []);
    for (const character of characters) {
      const rune = character.codePointAt(0) ?? 0;
      state = dfa.step(state, dfa.runeClass(rune), rune, unanchored);
    }
    return dfa.step(state, dfa.numClasses, textEnd, unanchored).isMatch;
  }

  it('have the members that the filter uses', () => {
    const dfa = automatonOf('a');
    expect(dfa?.failed, advice('dfa.failed')).toBe(false);
    expect(dfa.prog?.start, advice('dfa.prog.start')).toEqual(expect.any(Number));
    expect(dfa.numClasses, advice('dfa.numClasses')).toEqual(expect.any(Number));
    for (const name of ['runeClass', 'makeState', 'step'] as const) {
      expect(typeof dfa[name], advice(`dfa.${name}`)).toBe('function');
    }
    const state = dfa.makeState([dfa.prog.start], textBegins, []);
    expect(state?.isMatch, advice('state.isMatch')).toBe(false);
    expect(dfa.memBudget, advice('dfa.memBudget')).toBeLessThan(dfa.stateBudget);
  });

  it('keep at most 1 MB of the states of a pattern that has more', () => {
    const pattern = RE2JS.compile('a[ab]{20}c');
    const text = `${fc.sample(fc.stringMatching(/^[ab]{20000}$/), { numRuns: 1, seed: 1 })[0]} c`;
    limitStates(pattern);
    expect(pattern.test(text)).toBe(false);
    const { stateCount, stateBudget } = pattern.re2().dfa;
    expect(stateBudget).toBe(1024 * 1024);
    expect(stateCount, advice('dfa.stateCount')).toBeGreaterThan(500);
    expect(stateCount, advice('dfa.memBudget')).toBeLessThan(6_000);
  });

  it.each<[string, string, string, boolean]>([
    ['the flag of the beginning of the text', '\\Aa', 'a', true],
    ['the flag of the beginning of the line', '(?m:^)a', 'a', true],
    ['the end of the text', 'a\\z', 'a', true],
    ['the end of the text', 'a\\z', 'ab', false],
    ['an unanchored step', 'b\\z', 'aab', true],
    ['the word boundary at the end', 'a\\b', 'a', true],
    ['the class of a wide character', '語\\z', 'a語', true],
    ['the class of a wide character', '語\\z', 'aß', false],
  ])('have %s: %s on %s', (what, source, characters, expected) => {
    expect(matchesAtEnd(source, characters), advice(what)).toBe(expected);
  });

  it('report a match one step after its last character', () => {
    const dfa = automatonOf('a');
    const start = dfa.makeState([dfa.prog.start], textBegins, []);
    const after = dfa.step(start, dfa.runeClass(0x61), 0x61, unanchored);
    expect(after.isMatch, advice('state.isMatch')).toBe(false);
    const late = dfa.step(after, dfa.runeClass(0x62), 0x62, unanchored);
    expect(late.isMatch, advice('state.isMatch')).toBe(true);
  });

  it('intern states, and number classes from 0', () => {
    const dfa = automatonOf('[ab]c');
    const step = (from: ReturnType<typeof dfa.step>, rune: number) =>
      dfa.step(from, dfa.runeClass(rune), rune, unanchored);
    const start = dfa.makeState([dfa.prog.start], textBegins, []);
    expect(step(start, 0x61), advice('dfa.step')).toBe(step(start, 0x62));
    expect(step(step(start, 0x78), 0x61), advice('dfa.makeState')).toBe(step(start, 0x61));
    const classes = [0x20, 0x61, 0x63, 0x7e, 0x8a9e, 0x10ffff].map((rune) => dfa.runeClass(rune));
    expect(Math.min(...classes), advice('dfa.runeClass')).toBeGreaterThanOrEqual(0);
    expect(Math.max(...classes), advice('dfa.runeClass')).toBeLessThan(dfa.numClasses);
  });
});

describe('LineFilter', () => {
  it('filters: it skips lines without a match and stops at the one with it', () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `line ${index} of the log`);
    lines[7_777] = 'line 7777: error';
    expect(indexesFound(new LineFilter(RE2JS.compile('err[aeo]r$')), lines)).toEqual([7_777]);
  });

  it('finds exactly the matching lines', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 8 }), (source, lines) => {
        const compiled = RE2JS.compile(source);
        const filter = new LineFilter(compiled);
        const matching = lines.flatMap((line, at) => (compiled.test(line) ? [at] : []));
        expect(indexesFound(filter, lines)).toEqual(matching);
      }),
      runs(500),
    );
  });

  it('reads NUL as a space and ignores the marks of clusters', () => {
    const filter = new LineFilter(RE2JS.compile('^a b👍🏽c$'));
    expect(isFound(filter, 'a\0b\x02👍🏽\x03c')).toBe(true);
    expect(isFound(filter, 'a b👍🏽c\0\0')).toBe(true);
    expect(isFound(filter, 'a\0\0b\x02👍🏽\x03c')).toBe(false);
  });

  it('accepts every line if the table would be too large', () => {
    const filter = new LineFilter(RE2JS.compile('[ab]*a[ab]{30}c'));
    let seed = 1;
    const line = Array.from({ length: 100_000 }, () => {
      seed = (seed * 48_271) % 0x7fffffff;
      return seed & 1 ? 'a' : 'b';
    }).join('');
    expect(isFound(filter, line)).toBe(true);
    expect(isFound(filter, 'x')).toBe(true);
  });
});
