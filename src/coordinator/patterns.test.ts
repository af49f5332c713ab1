import { expect, it } from 'vitest';
import { looksLikePrompt } from './patterns.ts';

it.each([
  ['user@host:~$ ', true],
  ['root@host:/# ', true],
  ['>>> ', true],
  ['> ', true],
  ['$', true],
  ['Password: ', false],
  ['price: 5$ a piece', false],
  ['', false],
])('%j: %s', (text, expected) => {
  expect(looksLikePrompt(text)).toBe(expected);
});
