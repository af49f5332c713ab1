import { expect, it } from 'vitest';
import { typedChange } from './key-events.ts';
import { ownKeys } from './own-keys.ts';

it.each([
  ['a letter more', 'ec', 'ech', 0, 'h'],
  ['a correction at the end of a word', 'teh', 'the ', 2, 'he '],
  ['a word that is given up', 'no', '', 2, ''],
  ['nothing', 'yes', 'yes', 0, ''],
  ['characters outside the basic plane', 'a😀', 'a😁', 1, '😁'],
])('what is composed becomes keys: %s', (_what, before, after, backspaces, text) => {
  expect(typedChange(before, after)).toEqual({ backspaces, text });
});

it('a row of keys has keys and words', () => {
  expect(ownKeys('ctrl+c  F5 alt+shift+x /clear y a+b ctrl+c')).toEqual([
    { label: 'ctrl+c', text: '', press: { key: 'c', ctrl: true } },
    { label: 'F5', text: '', press: { key: 'f5' } },
    { label: 'alt+shift+x', text: '', press: { key: 'x', alt: true, shift: true } },
    { label: '/clear', text: '/clear' },
    { label: 'y', text: 'y' },
    { label: 'a+b', text: 'a+b' },
  ]);
  expect(ownKeys('')).toEqual([]);
});
