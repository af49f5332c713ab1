import { expect, it } from 'vitest';
import { firstLinesWithin, lastLinesWithin, plainText } from './terminal-text.ts';

it('removes trailing blanks, except one at the end of the text', () => {
  const contentOf = (text: string) => plainText(text).content;
  expect(contentOf('one  \ntwo\t \n\n  three')).toBe('one\ntwo\n\n  three');
  expect(contentOf('Go on? ')).toBe('Go on? ');
  expect(contentOf('> ghost      ')).toBe('> ghost ');
  expect(contentOf('one  \n')).toBe('one\n');
  // Blanks in the middle of a line, in linear time.
  expect(contentOf(`${' '.repeat(100_000)}x`)).toHaveLength(100_001);
});

it('keeps the first or the last lines that fit', () => {
  const lines = ['a', 'b', 'c'];
  expect(firstLinesWithin(lines, { max_lines: 2 })).toMatchObject({
    lines: ['a', 'b'],
    omitted: { lines: 1 },
  });
  expect(lastLinesWithin(lines, { max_lines: 2 }).lines).toEqual(['b', 'c']);
  expect(firstLinesWithin(['long', 'x'], { max_chars: 2 }).lines).toEqual(['lo']);
});
