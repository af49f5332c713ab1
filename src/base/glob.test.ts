import { describe, expect, it } from 'vitest';
import { globSource, isGlob } from './glob.ts';

const matches = (glob: string, text: string) =>
  new RegExp(`^${globSource(glob)}$`, 'su').test(text);

describe('globSource', () => {
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
    expect(matches(glob, text)).toBe(expected);
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
