import { expect, it } from 'vitest';
import { copyBytes } from './byte-buffer.ts';

const source = Uint8Array.from({ length: 64 }, (_, index) => ((index * 37) % 0xf5) | 1);
const untouched = 0xee;

it('copyBytes copies any number of bytes from anywhere to anywhere, and no other', () => {
  const from = new DataView(source.buffer);
  for (let start = 0; start < 8; start++) {
    for (let length = 0; start + length <= source.length; length++) {
      for (let to = 0; to < 8; to++) {
        const into = new Uint8Array(80).fill(untouched);
        copyBytes(from, start, start + length, new DataView(into.buffer), to);
        const expected = new Uint8Array(80).fill(untouched);
        expected.set(source.subarray(start, start + length), to);
        expect(into).toEqual(expected);
      }
    }
  }
});
