import { describe, expect, it } from 'vitest';
import { TextPlace } from './text-place.ts';

const text = 'fix the failing test';
const before = ['› Ask anything', '', '  gpt-5 · 100% left'];
const typed = ['› fix the failing test', '', '  gpt-5 · 99% left'];
const boxed = ['╭────╮', '│ > fix the failing test │', '╰────╯', '  ctrl+c to quit'];
const pasted = ['> [Pasted text #1 +9 lines]', '', '  ctrl+c to quit'];

describe('a text stands where it was typed', () => {
  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['at once', before, typed, typed],
    ['after a line end', before, typed, ['› fix the failing test', '', '', '  gpt-5 · 98% left']],
    [
      'after it has moved up',
      before,
      ['', ...typed],
      [...typed.slice(0, 2), '', '  gpt-5 · 9% left'],
    ],
    [
      'after a line end in a box',
      ['╭────╮', '│ > │', '╰────╯', '  ctrl+c to quit'],
      boxed,
      [...boxed.slice(0, 2), '│       │', ...boxed.slice(2)],
    ],
    [
      'as what stands for it',
      ['> ', '', '  ctrl+c to quit'],
      pasted,
      [pasted[0] ?? '', '', '', '  ctrl+c to quit'],
    ],
    ['if it is painted only after enter', before, before, typed],
    ['while a number below it changes', before, typed, [...typed.slice(0, 2), '  gpt-5 · 1% left']],
  ])('%s', (_what, rows, shown, now) => {
    expect(new TextPlace(text, rows, shown).isIn(now)).toBe(true);
  });
});

describe('a text has left the place where it was typed', () => {
  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['when the composer is empty', before, typed, before],
    ['when it is above the composer', before, typed, ['› fix the failing test', '', ...before]],
    [
      'when the program works below it',
      before,
      typed,
      ['› fix the failing test', '', '• Working (0s)', '', '  gpt-5 · 99% left'],
    ],
    [
      'when the prompt of a shell is below it',
      ['$ '],
      ['$ fix the failing test'],
      ['$ fix the failing test', '$ '],
    ],
    [
      'when what stands for it is above',
      ['> ', '', '  ctrl+c to quit'],
      pasted,
      [pasted[0] ?? '', '', '> ', '', '  ctrl+c to quit'],
    ],
    ['when another picture is shown', before, typed, ['Allow this command?', '1. Yes', '2. No']],
    [
      'when it was there before, too',
      [text, '', ...before],
      [text, '', ...typed],
      [text, '', text, '', ...before],
    ],
  ])('%s', (_what, rows, shown, now) => {
    const place = new TextPlace(text, rows, shown);
    expect([place.isIn(now), place.hasMoved(now)]).toEqual([false, true]);
  });
});

it('a spinner and a clock are no move', () => {
  const place = new TextPlace(text, ['⠋ 1s'], ['⠋ 1s']);
  expect(place.hasMoved(['⠙ 2s'])).toBe(false);
  expect(place.hasMoved(['⠙ 2s', 'done'])).toBe(true);
});
