import { expect, it } from 'vitest';
import { arrivedInPart, checkPieces, leftIn, typedPrompt } from './prompt-text.ts';

it('a blank follows what would take the Enter of an agent for something else', () => {
  const ends = ['a\\', 'at @READ', 'see #12', 'use $x', '@a', 'do /co'];
  expect(ends.map((text) => typedPrompt(`${text}\n`, true))).toEqual(
    ends.map((text) => `${text} `),
  );
  const plain = ['a@b', '/help', 'at @READ now', 'two\nlines'];
  expect(plain.map((text) => typedPrompt(text, true))).toEqual(plain);
  expect(typedPrompt('a\\', false)).toBe('a\\');
});

it('a very long text for a program that takes no pastes is refused', () => {
  checkPieces('x'.repeat(140_000));
  expect(() => checkPieces('x'.repeat(150_000))).toThrow(
    'the text has 150000 bytes, and the program takes no pastes',
  );
});

it.each([
  ['less than was typed', '[Paste #1: 4095 chars]', true],
  ['all of it', '[Paste #1: 6376 chars]', false],
  ['all of it, in code points', '[Pasted Content 6376 characters]', false],
  ['several parts', '[Paste #1: 4095 chars] [Paste #2: 2281 chars]', false],
  ['several parts, and not all', '[Paste #1: 4095 chars] [Paste #2: 2000 chars]', true],
  ['a part, and the rest of the text', '[Paste #1: 6370 chars] and it', false],
  ['no number of characters', '[Pasted text #1 +12 lines]', false],
])('a composer with %s', (_what, shown, isPart) => {
  const old = '[Paste #1: 12 chars]';
  expect(arrivedInPart('x'.repeat(6376), [old], [old, `> ${shown}`])).toBe(isPart);
});

it.each([
  ['nothing', '', null],
  ['the same draft, before the agent has taken it', 'look at @READ', null],
  ['the same draft in two lines', 'look at\n@READ', null],
  ['a completed name', 'look at README.md', 'changed'],
  ['another name soon after the beginning', 'look /model', 'changed'],
  ['the name of a paste', '[Saved pasted content to workspace (97.7 KB) id=1]', 'stand-in'],
  ['the name of an earlier paste before it', '[Pasted Text: 120 lines]look at @READ', 'changed'],
  ['another text', 'Summarize the changes', null],
])('after Enter, the composer shows %s', (_what, now, left) => {
  expect(leftIn(now, 'look at @READ', 'look at @READ')).toBe(left);
});
