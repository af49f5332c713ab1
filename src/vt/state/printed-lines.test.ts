import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PrintedLines } from './printed-lines.ts';

/** More entries than a list keeps when it is cleared, and fewer. */
const counts = fc.constantFrom(3, 5_000, 9_000, 40_000);

it('keeps the entries of each list, though large lists use released memory again', () => {
  const steps = fc.array(fc.record({ list: fc.nat(2), count: counts }), { maxLength: 12 });
  fc.assert(
    fc.property(steps, (all) => {
      const lists = [0, 1, 2].map(() => ({ lines: new PrintedLines(), begin: 0, count: 0 }));
      for (const [step, { list, count }] of all.entries()) {
        const each = lists[list];
        if (each === undefined) continue;
        each.lines.clear();
        Object.assign(each, { begin: step * 100_000, count });
        for (let at = 0; at < count; at++) each.lines.push(each.begin + at, at, at + 1);
      }
      for (const { lines, begin, count } of lists) {
        expect(lines.count).toBe(count);
        for (const at of [0, count >> 1, count - 1].filter((index) => index >= 0 && count > 0))
          expect([lines.line(at), lines.from(at), lines.to(at)]).toEqual([begin + at, at, at + 1]);
      }
    }),
    { numRuns: 30 },
  );
});

it.each([2 ** 31 - 2, 2 ** 33])('keeps the numbers of lines from %d on', (first) => {
  const lines = new PrintedLines();
  for (let at = 0; at < 4; at++) lines.push(first + at, 0, 1);
  const numbers = [0, 1, 2, 3].map((at) => first + at);
  expect(numbers.map((_, at) => lines.line(at))).toEqual(numbers);
  expect(lines.save()).toEqual(numbers.flatMap((line) => [line, 0, 1]));
});
