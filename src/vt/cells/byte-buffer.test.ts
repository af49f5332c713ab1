import { describe, expect, it } from 'vitest';
import { ByteBuffer, copyBytes } from './byte-buffer.ts';

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

describe('a buffer with the memory of another one', () => {
  const memory = () => new ArrayBuffer(64);

  it('has the capacities that it would have without, and no other memory while it suffices', () => {
    const ours = memory();
    const [reused, own] = [new ByteBuffer(8, 16, ours), new ByteBuffer(8, 16)];
    for (let byte = 0; byte < 50; byte++) {
      for (const buffer of [reused, own]) buffer.push(byte);
      expect(reused.capacity).toBe(own.capacity);
      expect(reused.bytes.length).toBe(reused.capacity);
      expect(reused.bytes.buffer).toBe(ours);
    }
    expect(reused.heldBytes).toBe(64);
    for (let byte = 50; byte < 70; byte++) reused.push(byte);
    expect(reused.bytes.buffer).not.toBe(ours);
    expect([...reused.bytes.subarray(0, 70)]).toEqual(Array.from({ length: 70 }, (_, at) => at));
  });

  it('returns it when it is trimmed, and keeps its bytes and what would be its capacity', () => {
    for (const length of [0, 3, 8]) {
      const ours = memory();
      const [reused, own] = [new ByteBuffer(8, 16, ours), new ByteBuffer(8, 16)];
      for (const buffer of [reused, own]) buffer.append(source.subarray(0, length));
      own.trim();
      expect(reused.trim()).toBe(ours);
      expect(reused.capacity).toBe(own.capacity);
      new Uint8Array(ours).fill(untouched);
      expect(reused.bytes.subarray(0, length)).toEqual(source.subarray(0, length));
      expect(reused.heldBytes).toBe(reused.capacity);
    }
  });

  it('keeps memory of its own that is in use', () => {
    const buffer = new ByteBuffer(8);
    buffer.append(source.subarray(0, 8));
    expect(buffer.trim()).toBeNull();
  });

  it('does not use memory that is too small', () => {
    expect(new ByteBuffer(65, 16, memory()).heldBytes).toBe(65);
  });
});
