import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it, vi } from 'vitest';
import { VtrError } from '#model';
import { Pattern } from '#watch';
import { runs } from '../../../test/support/run/runs.ts';
import { automatonOf } from './line-filter.ts';
import { GrowingText } from './pattern.ts';

/** Returns the match that touches the part of the text between the bars. */
function find(source: string, marked: string): string | null {
  const [before = '', part = '', after = ''] = marked.split('|');
  const text = before + part + after;
  const match = new Pattern(source).findTouching(text, before.length, before.length + part.length);
  return match && text.slice(match.start, match.end);
}

describe('findTouching', () => {
  it.each([
    ['inside', 'b+', 'a|abba|a', 'bb'],
    ['that begins before', 'hello', 'hel|lo|', 'hello'],
    ['that ends behind', 'hello', '|hel|lo', 'hello'],
    ['of all of it', '^.*$', 'a|b|c', 'abc'],
    ['after a match before the part', 'x', 'x x |x|', 'x'],
    ['of nothing, at the end', '$', 'a|b|', ''],
    ['of nothing, at its border', '^', '|b|', ''],
  ])('finds a match %s', (_where, source, marked, match) => {
    expect(find(source, marked)).toBe(match);
  });

  it.each([
    ['before', 'old', 'old |new|'],
    ['behind', 'old', '|new| old'],
    ['right before', 'd', 'old|new|'],
    ['right behind', 'o', '|new|old'],
    ['of nothing, behind', '$', '|new|old'],
    ['of nothing, before', '^', 'old|new|'],
  ])('ignores a match %s', (_where, source, marked) => {
    expect(find(source, marked)).toBeNull();
  });

  it.each([
    ['begins nowhere in', '^a', 'ab', null],
    ['begins nowhere in, by an astral character,', '^', '😀b', null],
    ['is found behind the first character of', 'b$', 'ab', 'b'],
    ['of nothing ends', '$', 'a', ''],
  ])('a line %s a text that lacks its beginning', (_what, source, text, expected) => {
    const match = new Pattern(source).findTouching(text, 0, text.length, true);
    expect(match && text.slice(match.start, match.end)).toBe(expected);
  });

  it('finds a match that begins up to 16 Ki code units earlier', () => {
    const lead = 16 * 1024;
    expect(find('<y*>', `<${'y'.repeat(lead - 1)}|>|`)).toHaveLength(lead + 1);
    expect(find('<y*>', `<${'y'.repeat(lead)}|>|`)).toBeNull();
    expect(find('^y*>', `${'y'.repeat(lead + 1)}|>|`)).toBeNull();
    // The limit is inside a surrogate pair.
    expect(find('x', `😀${'y'.repeat(lead - 1)}|x|`)).toBe('x');
    expect(find('\\b<y*>', `xx<${'y'.repeat(lead - 1)}|>|`)).toHaveLength(lead + 1);
    expect(find('\\b<y*>', `x <${'y'.repeat(lead - 1)}|>|`)).toBeNull();
  });

  it('agrees with JavaScript on common patterns', () => {
    const letters = fc.stringMatching(/^[ab]{0,8}$/);
    const source = fc.constantFrom('a', 'ab', 'a+b', '(a|b)b', 'a*', 'b?a', '^a', 'b$', '[^a]');
    const property = fc.property(source, letters, letters, letters, (text, ...parts) => {
      const [before] = parts;
      const [from, to] = [before.length, before.length + parts[1].length];
      const expected = [...parts.join('').matchAll(new RegExp(text, 'g'))].find(
        ({ 0: { length }, index }) =>
          length === 0 ? index >= from && index <= to : index + length > from && index < to,
      );
      expect(find(text, parts.join('|'))).toBe(expected?.[0] ?? null);
    });
    fc.assert(property, runs(500));
  });
});

describe('a pattern that is tested in a growing text', () => {
  const before = '-'.repeat(1_100);

  it('finds what a new one finds', () => {
    const source = fc.constantFrom(
      'ab',
      'a+b',
      '^-+a',
      'b$',
      '[^-]',
      'ba*b',
      '\\ba',
      'a\\b',
      'x',
      '-a|😀b',
    );
    const part = fc.stringMatching(/^[ab 😀]{0,6}$/u);
    const change = fc.record({
      part,
      erased: fc.constantFrom(0, 0, 0, 1, 4, 1_000),
      cut: fc.boolean(),
    });
    const property = fc.property(source, fc.array(change, { maxLength: 12 }), (text, changes) => {
      const growing = new Pattern(text);
      let line = before;
      for (const { part, erased, cut } of changes) {
        line = [...line].slice(0, Math.max(0, [...line].length - erased)).join('');
        const from = line.length;
        line += part;
        const match = growing.findTouching(line, from, line.length, cut);
        expect(match).toEqual(new Pattern(text).findTouching(line, from, line.length, cut));
      }
    });
    fc.assert(property, runs(500));
  });

  it('reads what was there once', () => {
    const pattern = RE2JS.compile('(?i)ready|[0-9]x');
    const step = vi.spyOn(automatonOf(pattern), 'step');
    const growing = new GrowingText(pattern);
    let text = before;
    for (let count = 0; count < 1_000; count++) {
      const from = text.length;
      text += `${count} `;
      expect(growing.mayMatchFrom(text, from)).toBe(false);
    }
    expect(growing.mayMatchFrom(`${text}Ready`, text.length)).toBe(true);
    expect(step.mock.calls.length).toBeLessThan(3 * text.length);
  });
});

describe('Pattern', () => {
  const refusal = (source: string) => {
    try {
      new Pattern(source);
    } catch (error) {
      return error as VtrError;
    }
    return null;
  };

  it.each([
    ['that is empty', '', /^"" is empty and matches everything; give a regular expression$/],
    ['that does not close', '(', /"\("/],
    ['with a look-around, which RE2 has not', 'a(?=b)', /a\(\?=b\)/],
    ['with a back-reference', '(a)\\1', /\\\\1/],
    ['that repeats too often', 'a{100000}', /100000/],
    ['that expands too far', '[ab]{999}'.repeat(5), /expands to 4997 instructions, over the limit/],
    ['of more than 1024 characters', 'a'.repeat(1025), /longer than 1024/],
  ])('rejects one %s', (_what, source, message) => {
    const error = refusal(source);
    expect(error).toBeInstanceOf(VtrError);
    expect(error?.code).toBe('INVALID_PATTERN');
    expect(error?.message).toMatch(message);
  });

  it('does not repeat a long pattern in the error', () => {
    expect(refusal('a'.repeat(100_000))?.message.length).toBeLessThan(200);
    expect(JSON.stringify(refusal('a'.repeat(100_000))?.details).length).toBeLessThan(200);
  });
});
