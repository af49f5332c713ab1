import { describe, expect, it } from 'vitest';
import { isProgramPrompt, looksLikePrompt, looksLikeQuestion } from './program-prompt.ts';

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

it('takes the prompt of select in zsh for a question, as that of bash', () => {
  expect(isProgramPrompt('#? ', 'bash')).toBe(false);
  expect(isProgramPrompt('?# ', 'zsh')).toBe(false);
  expect(looksLikeQuestion('?# ')).toBe(true);
});

describe('a question', () => {
  it.each([
    ['name? ', true],
    ['Continue? [Y/n] ', true],
    ['Is this OK? (yes) : ', true],
    ["Enter passphrase for key '/home/user/.ssh/id_ed25519': ", true],
    [`${'x'.repeat(5000)} password: `, true],
    ['installing ', false],
    ['(1/3) installing ', false],
    ['', false],
  ])('%j: %s', (text, expected) => {
    expect(looksLikeQuestion(text)).toBe(expected);
  });

  it('is looked for in the end of a long line only', () => {
    expect(looksLikeQuestion(`password${'x'.repeat(1000)}: `)).toBe(false);
    expect(looksLikeQuestion(`)${' '.repeat(250_000)}x`)).toBe(false);
  });
});
