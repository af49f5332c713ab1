import { describe, expect, it } from 'vitest';
import { filledIn } from './asking.ts';

describe('filledIn', () => {
  it.each([
    ['rename-window "%%"', ['a "b" $c'], 'rename-window "a \\"b\\" \\$c"'],
    ["new-window -n '%%'", ["it's"], "new-window -n 'it'\\''s'"],
    ['%1', ['split-window -h; next-window'], 'split-window -h; next-window'],
    ['move-window -s %1 -t %2', ['1', '2'], 'move-window -s 1 -t 2'],
    ['a %3 %% 50%', ['x'], 'a %3 x 50%'],
    ['a "\\"%%"', ['"'], 'a "\\"\\""'],
  ])('%s with %j', (template, answers, expected) => {
    expect(filledIn(template, answers)).toBe(expected);
  });
});
