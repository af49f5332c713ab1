import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Onlcr } from './onlcr.ts';

describe('Onlcr', () => {
  it('inserts the missing carriage returns, in any pieces', () => {
    const parts = fc.array(fc.constantFrom('\n', '\r\n', '\r', 'a', 'é'));
    const property = fc.property(parts, fc.nat(20), (all, cut) => {
      const given = Buffer.from(all.join(''));
      const feeds = new Onlcr();
      const pieces = [given.subarray(0, cut), given.subarray(cut)].map((each) =>
        feeds.convert(each),
      );
      const expected = all.join('').replace(/(?<!\r)\n/g, '\r\n');
      expect(Buffer.concat(pieces).toString()).toBe(expected);
    });
    fc.assert(property);
  });
});
