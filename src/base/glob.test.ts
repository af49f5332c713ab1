import { describe, expect, it } from 'vitest';
import { globPattern, isGlob } from './glob.ts';

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
