import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/run/runs.ts';
import type { SavedChange } from '../port.ts';
import { type Frame, ProtocolError } from './frames.ts';
import {
  decodeSavedChange,
  encodeSavedChange,
  LongPayloads,
  splitPayload,
} from './saved-frames.ts';

const blob = fc.uint8Array({ maxLength: 50 });
const line = fc.integer({ min: 0, max: 2 ** 40 });
const segment = fc
  .tuple(line, fc.nat(1000), blob)
  .map(([from, count, bytes]) => ({ from, to: from + count, bytes }));
const change = fc.record(
  {
    facts: blob,
    state: fc.record({ offset: line, steps: line, bytes: blob }),
    replaceFrom: line,
    firstLine: line,
    segments: fc.array(segment, { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: [] },
);

const frameOf = (flags: number, payload: Uint8Array, session = 1): Frame => ({
  type: 'keep',
  request: 0,
  session,
  flags,
  payload,
});

describe('a change of what is saved', () => {
  it('is the same after encoding, splitting, joining and decoding', () => {
    const property = fc.property(change, fc.integer({ min: 1, max: 100 }), (content, maxBytes) => {
      const payloads = new LongPayloads();
      const frames = splitPayload(encodeSavedChange(content as SavedChange), maxBytes);
      const results = frames.map(({ flags, bytes, parts }) => {
        const payload = Buffer.concat(parts);
        expect([payload.length, payload.length <= maxBytes]).toEqual([bytes, true]);
        return payloads.add(frameOf(flags, payload));
      });
      const last = results.pop();
      expect(results.every((each) => each === null)).toBe(true);
      expect(decodeSavedChange(last ?? new Uint8Array(0))).toEqual(content);
    });
    fc.assert(property, runs(200));
  });

  it('appends with Infinity', () => {
    const encoded = encodeSavedChange({ replaceFrom: Number.POSITIVE_INFINITY });
    expect(decodeSavedChange(Buffer.concat(encoded))).toEqual({});
  });

  it('is refused if it was cut', () => {
    const state = { offset: 1, steps: 2, bytes: Uint8Array.of(1, 2, 3) };
    const whole = Buffer.concat(encodeSavedChange({ facts: Uint8Array.of(4), state }));
    for (let length = 0; length < whole.length; length++) {
      expect(() => decodeSavedChange(whole.subarray(0, length))).toThrow(ProtocolError);
    }
  });

  it('of several sessions may be mixed', () => {
    const payloads = new LongPayloads();
    expect(payloads.add(frameOf(4, Buffer.from('a'), 1))).toBeNull();
    expect(payloads.add(frameOf(4, Buffer.from('b'), 2))).toBeNull();
    expect(payloads.add(frameOf(0, Buffer.from('c'), 3))).toEqual(Buffer.from('c'));
    expect(payloads.add(frameOf(0, Buffer.from('d'), 2))).toEqual(Buffer.from('bd'));
    expect(payloads.add(frameOf(0, Buffer.from('e'), 1))).toEqual(Buffer.from('ae'));
  });
});
