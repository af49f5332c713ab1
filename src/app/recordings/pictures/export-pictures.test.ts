import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TimedPicture } from '#image';
import { lastMs, turned } from './export-pictures.ts';

/** Stands for a picture: only which one it is matters. */
const picture = (name: number) => ({ name }) as unknown as TimedPicture['picture'];

it('a turned animation shows the same pictures for the same times, from another one on', () => {
  const steps = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(steps, fc.double({ min: 0.01, max: 0.99, noNaN: true }), (waits, offset) => {
      let atMs = 0;
      const list = waits.map((wait, at) => {
        const each = { atMs, picture: picture(at) };
        atMs += wait;
        return each;
      });
      const durationMs = (list.at(-1)?.atMs ?? 0) + lastMs;
      const shownAt = (all: readonly TimedPicture[], ms: number) =>
        all.findLast((each) => each.atMs <= ms)?.picture;
      const result = turned(list, offset);
      expect(result[0]?.atMs).toBe(0);
      for (let share = 0.05; share < 1; share += 0.1) {
        const ms = durationMs * share;
        const before = (ms + durationMs * offset) % durationMs;
        // The borders are skipped, because rounding decides there.
        if (list.some((each) => Math.abs(each.atMs - before) < 0.01)) continue;
        expect(shownAt(result, ms)).toBe(shownAt(list, before));
      }
    }),
  );
});
