import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/run/runs.ts';
import { fuzzyScore, globPattern, isGlob, queryMatches } from './name-matching.ts';

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

describe('the filter of lists', () => {
  it('finds the best places of all characters in their order', () => {
    fc.assert(
      fc.property(letters(4), letters(12), (word, text) => {
        expect(fuzzyScore(word, text)).toBe(reference(word, text));
      }),
      runs(2000),
    );
  });

  /** The names that a query finds, the best first. */
  const namesFor = (query: string, items: readonly (readonly string[])[]) =>
    queryMatches(items, query, (texts) => texts)
      .sort((a, b) => b.score - a.score)
      .map(({ item: [name] }) => name);

  it.each([
    ['bt', ['build-test', 'habit'], 'build-test'],
    ['src', ['~/src/vtr', 'sparc'], '~/src/vtr'],
    ['vt', ['avt', 'vtr', 'vim-test'], 'vtr'],
    ['web test', ['web', 'test web', 'tests'], 'test web'],
    ['dply', ['deploy', 'display'], 'deploy'],
  ])('prefers for %s whole words, and the beginnings of words', (query, texts, best) => {
    expect(
      namesFor(
        query,
        texts.map((text) => [text]),
      )[0],
    ).toBe(best);
  });

  it('finds scattered letters only in names, and only where nothing has the word', () => {
    const path = '/home/work/everything/built';
    const items = [
      ['api', path],
      ['web-1', path],
      ['we-be', path],
      ['log', `${path}/web`],
    ];
    expect(namesFor('web', items)).toEqual(['web-1', 'log']);
    expect(namesFor('wb', items)).toEqual(['we-be', 'web-1']);
    expect(namesFor('heb', items)).toEqual([]);
    expect(namesFor('log heb', items)).toEqual([]);
    expect(namesFor('home wb', items)).toHaveLength(2);
    expect(namesFor('', items)).toHaveLength(4);
  });

  it('prefers a name to what else is known', () => {
    const items = [
      ['x', 'sh'],
      ['api', '/src/home'],
      ['shell', '/home/ann'],
    ];
    expect(namesFor('sh', items)).toEqual(['shell', 'x']);
  });

  it('looks for each word in any text', () => {
    const items = [['api', 'make -j4']];
    expect(namesFor('api make', items)).toEqual(['api']);
    expect(namesFor('api ninja', items)).toEqual([]);
  });

  it('finds each word that a text has, wherever it is', () => {
    fc.assert(
      fc.property(letters(6), fc.nat(6), letters(12), (word, at, text) => {
        const query = word.trim();
        const has = `${text.slice(0, at)}${query}${text.slice(at)}`.repeat(40);
        expect(namesFor(query, [['name', has]])).toEqual(['name']);
      }),
      runs(500),
    );
  });
});
