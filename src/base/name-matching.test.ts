import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/run/runs.ts';
import { fuzzyScore, globPattern, isGlob, queryScore } from './name-matching.ts';

describe('glob', () => {
  describe('globPattern', () => {
    it.each([
      ['build-*', 'build-1', true],
      ['build-*', 'build-', true],
      ['build-*', 'rebuild-1', false],
      ['*', 'anything', true],
      ['s?', 's1', true],
      ['s?', 's12', false],
      ['[a-c]x', 'bx', true],
      ['[a-c]x', 'dx', false],
      ['[!a-c]x', 'dx', true],
      ['[!a-c]x', 'ax', false],
      ['a.b', 'axb', false],
      ['a+(b)', 'a+(b)', true],
      ['[', '[', true],
      ['[]', '[]', true],
      ['[\\]', '\\', true],
      ['[^a]', '^', true],
    ])('%s and %s: %s', (glob, text, expected) => {
      expect(globPattern(glob)?.test(text)).toBe(expected);
    });

    it('returns null for a range in reverse order', () => {
      expect(globPattern('[z-a]*')).toBeNull();
    });
  });

  it.each([
    ['build-1', false],
    ['build-*', true],
    ['s?', true],
    ['[ab]', true],
  ])('isGlob(%s) is %s', (text, expected) => {
    expect(isGlob(text)).toBe(expected);
  });
});

/** The most points of all ways to choose places for the characters of a word. */
function reference(word: string, text: string): number | null {
  const isWord = (each: string | undefined) => each !== undefined && /[a-z0-9]/i.test(each);
  const pointsAt = (at: number) => {
    const [before, here = ''] = [text[at - 1], text[at]];
    const isCapital = /[A-Z]/.test(here) && /[a-z]/.test(before ?? '');
    return isWord(here) && (!isWord(before) || isCapital) ? 9 : 1;
  };
  const from = (index: number, last: number): number => {
    if (index === word.length) return 0;
    let most = Number.NEGATIVE_INFINITY;
    for (let at = last + 1; at < text.length; at++) {
      if (text[at]?.toLowerCase() !== word[index]?.toLowerCase()) continue;
      const next = index > 0 && at === last + 1 ? 5 : 0;
      most = Math.max(most, pointsAt(at) + next + from(index + 1, at));
    }
    return most;
  };
  const most = from(0, -1);
  return most < 0 ? null : most;
}

const letters = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'aAbB-/ 1'), maxLength });

describe('the fuzzy filter', () => {
  it('finds the best places of all characters in their order', () => {
    fc.assert(
      fc.property(letters(4), letters(12), (word, text) => {
        expect(fuzzyScore(word, text)).toBe(reference(word, text));
      }),
      runs(2000),
    );
  });

  it.each([
    ['bt', ['build-test', 'habit'], 'build-test'],
    ['src', ['~/src/vtr', 'sparc'], '~/src/vtr'],
    ['vt', ['vtr', 'vim-test', 'avt'], 'vim-test'],
    ['web test', ['web', 'test web', 'tests'], 'test web'],
  ])('prefers for %s the beginnings of words', (query, texts, best) => {
    const scored = texts.map((text) => ({ text, score: queryScore(query, [text]) ?? -1 }));
    expect(scored.sort((a, b) => b.score - a.score)[0]?.text).toBe(best);
  });

  it('prefers a name to what else is known', () => {
    const named = queryScore('sh', ['shell', '/home/ann']) ?? 0;
    expect(named).toBeGreaterThan(queryScore('sh', ['api', '/src/home']) ?? 0);
  });

  it('looks for each word in any text', () => {
    expect(queryScore('api make', ['api', 'make -j4'])).not.toBeNull();
    expect(queryScore('api ninja', ['api', 'make -j4'])).toBeNull();
  });
});
