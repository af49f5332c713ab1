import { expect, it } from 'vitest';
import { findComposer } from './composer.ts';

/** A screen whose cursor is hidden below all text, as programs leave it that draw a field with a bar at its left side. */
const screen = (rows: readonly string[]) => ({
  rows,
  cursor: {
    row: rows.length,
    col: 0,
    visible: false,
    wrapPending: false,
    shape: 'block',
    blinking: false,
  } as const,
  cells: () => [],
});

const field = ['A message', '', '┃', '┃ > a draft', '┃'];

it('a field with only a bar is found above a short footer', () => {
  expect(findComposer(screen(field))).toMatchObject({ top: 2, bottom: 5, text: 'a draft' });
  expect(findComposer(screen([...field, '  build  gpt-5', '  ctrl+p commands']))?.text).toBe(
    'a draft',
  );
});

it.each([
  ['keys of a menu below it', [...field, '  ↑↓ select  enter confirm']],
  ['an option in it', ['┃', '┃ > Which one?', '┃ 1. Yes', '┃']],
  ['a box to tick in it', ['┃', '┃ > Which ones?', '┃ [x] tests', '┃']],
  ['more than a footer below it', [...field, 'one', 'two', 'three']],
])('it is a dialog with %s', (_what, rows) => {
  expect(findComposer(screen(rows))).toBeNull();
});
