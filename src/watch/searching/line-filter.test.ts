import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { runs } from '../../../test/support/run/runs.ts';
import { LineFilter } from './line-filter.ts';

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

/** Which of the lines, by their number, the filter stops at. */
function found(filter: LineFilter, lines: readonly string[]): number[] {
  const bytes = encodeUtf8(`\0${lines.map((line) => `${line}\n`).join('')}\n`);
  const numbers: number[] = [];
  for (let next = 1; ; ) {
    const at = filter.find(bytes, next, bytes.length - 1);
    if (at < 0) return numbers;
    numbers.push(bytes.subarray(1, at).filter((byte) => byte === 0x0a).length);
    next = bytes.indexOf(0x0a, at) + 1;
  }
}

const isFound = (filter: LineFilter, line: string): boolean => found(filter, [line]).length > 0;

describe('a filter of lines', () => {
  it('finds exactly the lines that match', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 8 }), (source, lines) => {
        const compiled = RE2JS.compile(source);
        const filter = new LineFilter(compiled);
        const matching = lines.flatMap((line, at) => (compiled.test(line) ? [at] : []));
        expect(found(filter, lines)).toEqual(matching);
      }),
      runs(500),
    );
  });

  it('takes a NUL for a space and does not see the marks of clusters', () => {
    const filter = new LineFilter(RE2JS.compile('^a b👍🏽c$'));
    expect(isFound(filter, 'a\0b\x02👍🏽\x03c')).toBe(true);
    expect(isFound(filter, 'a b👍🏽c\0\0')).toBe(true);
    expect(isFound(filter, 'a\0\0b\x02👍🏽\x03c')).toBe(false);
  });

  it('leaves to others what would take a large table', () => {
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
