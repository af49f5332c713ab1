import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LineBytes, LineReader } from '#base';
import { chunksOf } from '../../test/support/chunks.ts';
import { runs } from '../../test/support/run/runs.ts';

const limits = { maxBytes: 11, headBytes: 4 };

interface ReadLine {
  readonly text: string;
  readonly tooLongBytes: number | null;
}

const read = ({ bytes, tooLongBytes }: LineBytes): ReadLine => ({
  text: Buffer.from(bytes).toString('latin1'),
  tooLongBytes,
});

function linesOf(chunks: readonly Uint8Array[]): ReadLine[] {
  const reader = new LineReader(limits);
  const lines = chunks.flatMap((chunk) => Array.from(reader.push(chunk), read));
  const last = reader.end();
  return last === null ? lines : [...lines, read(last)];
}

/** Returns the same lines by splitting the whole text. */
function expectedLines(bytes: Buffer): ReadLine[] {
  const lines = bytes.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines.map((text) => {
    const isWhole = text.length <= limits.maxBytes;
    return isWhole
      ? { text, tooLongBytes: null }
      : { text: text.slice(0, limits.headBytes), tooLongBytes: text.length };
  });
}

describe('LineReader', () => {
  it('keeps lines up to the limit, and the head of longer ones', () => {
    expect(linesOf([Buffer.from('one\n\n1234567890\n12345678901\nlast')])).toEqual([
      { text: 'one\n', tooLongBytes: null },
      { text: '\n', tooLongBytes: null },
      { text: '1234567890\n', tooLongBytes: null },
      { text: '1234', tooLongBytes: 12 },
      { text: 'last', tooLongBytes: null },
    ]);
  });

  it('reads the same lines from any chunking', () => {
    const byte = fc.oneof({ weight: 3, arbitrary: fc.nat(255) }, fc.constant(0x0a));
    const stream = fc.array(byte, { maxLength: 80 }).map((each) => Buffer.from(each));
    const property = fc.property(stream, fc.array(fc.nat(80)), (bytes, cuts) => {
      expect(linesOf(chunksOf(bytes, cuts))).toEqual(expectedLines(bytes));
    });
    fc.assert(property, runs(300));
  });

  it('does not write to the chunks', () => {
    const chunk = Buffer.from('abcdef');
    linesOf([chunk.subarray(0, 2), Buffer.from('XYZ'), Buffer.from('!\n')]);
    expect(chunk.toString()).toBe('abcdef');
  });

  it('begins another line after the end', () => {
    const reader = new LineReader(limits);
    const first = [...reader.push(Buffer.from('first'))];
    expect(first).toEqual([]);
    expect(reader.end()).toMatchObject({ tooLongBytes: null });
    expect(reader.end()).toBeNull();
    expect(Array.from(reader.push(Buffer.from('a\n')), read)).toEqual([
      { text: 'a\n', tooLongBytes: null },
    ]);
  });
});
