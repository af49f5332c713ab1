import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import { screenChanges } from './screen-changes.ts';

/** Does what a client does with an answer. */
function applied(before: readonly string[], now: readonly string[]): string[] | null {
  const changes = screenChanges(before, now);
  if (changes === null) return null;
  const rows = Array.from(
    { length: Math.max(before.length, now.length) },
    (_, row) => before[row] ?? '',
  );
  const { moved, changed, text } = changes;
  if (moved !== null) {
    const block = Array.from({ length: moved.count }, (_, at) => before[moved.from + at] ?? '');
    rows.splice(moved.to, moved.count, ...block);
  }
  const lines = text.split('\n');
  for (const row of changed) rows[row] = lines.shift()?.trim() ? (now[row] ?? '') : '';
  return rows;
}

const row = fc.oneof(
  fc.integer({ min: 0, max: 30 }).map((n) => `the text of a row with the number ${n}`),
  fc.constantFrom('', '~', '   '),
);

it('turns any screen into any other', () => {
  const screen = fc.array(row, { maxLength: 30 });
  const moves = fc.record({ before: screen, at: fc.nat(10), drop: fc.nat(10), add: screen });
  fc.assert(
    fc.property(moves, ({ before, at, drop, add }) => {
      const now = [...before.slice(0, at), ...add, ...before.slice(at + drop)].slice(0, 30);
      const result = applied(before, now);
      if (result === null) return;
      const blankEnd = Array.from({ length: result.length - now.length }, () => '');
      expect(result.map((each) => each.trimEnd())).toEqual(
        [...now, ...blankEnd].map((each) => each.trimEnd()),
      );
    }),
    runs(200),
  );
});

it('tells nothing if nothing has changed', () => {
  const rows = ['one', '', 'three'];
  expect(screenChanges(rows, rows)).toEqual({ moved: null, changed: [], text: '' });
});

it('is null if most of the screen is new', () => {
  const rows = (word: string) => Array.from({ length: 20 }, (_, at) => `${word} ${at}`);
  expect(screenChanges(rows('one'), rows('two'))).toBeNull();
});
