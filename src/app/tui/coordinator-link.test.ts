import { expect, it } from 'vitest';
import { VtrError } from '#model';
import { problemText } from './coordinator-link.ts';

async function errorOf(source: string): Promise<unknown> {
  const { Pattern } = await import('#watch');
  try {
    return new Pattern(source);
  } catch (error) {
    return error;
  }
}

it.each([
  ['(?i)(+', 'not a pattern: missing argument to repetition operator'],
  ['(?i)a)', 'not a pattern: unexpected )'],
  [`${'a long one '.repeat(20)}[z-a]`, 'not a pattern: invalid character class range'],
])('says first what is wrong with the pattern %s', async (source, text) => {
  expect(problemText(await errorOf(source))).toBe(text);
});

it('is the message of another error', () => {
  expect(problemText(new VtrError('UNAVAILABLE', 'build does not answer'))).toBe(
    'build does not answer',
  );
});
