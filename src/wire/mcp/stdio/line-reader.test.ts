import { expect, it } from 'vitest';
import { LineReader } from './line-reader.ts';

const maxBytes = 10;

function linesOf(...chunks: readonly Uint8Array[]): (string | null)[] {
  const reader = new LineReader(maxBytes);
  return chunks.flatMap((chunk) => [...reader.push(chunk)]);
}

it('reads the same lines, wherever the stream is cut', () => {
  const whole = Buffer.from('one\n\nzwölf\n12345678901\n1234567890\n€€€€\nlast');
  const lines = ['one', '', 'zwölf', null, '1234567890', null];
  expect(linesOf(whole)).toEqual(lines);
  expect(linesOf(...[...whole].map((byte) => Uint8Array.of(byte)))).toEqual(lines);
  for (let cut = 0; cut <= whole.length; cut++) {
    expect(linesOf(whole.subarray(0, cut), whole.subarray(cut)), `cut at ${cut}`).toEqual(lines);
  }
});
