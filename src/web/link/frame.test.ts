import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import {
  decodeCount,
  decodeFrame,
  decodeMessage,
  encodeCount,
  frameKinds,
  joined,
} from './frame.ts';

const number = fc.nat({ max: 2 ** 48 });

describe('a frame of the page', () => {
  it('has the channel and the count that were encoded', () => {
    fc.assert(
      fc.property(fc.nat({ max: 0xffff }), number, (channel, count) => {
        const frame = decodeFrame(encodeCount(frameKinds.credit, channel, count));
        expect(frame).toMatchObject({ kind: frameKinds.credit, channel });
        expect(decodeCount(frame)).toBe(count);
      }),
    );
  });

  it('has its message and its bytes, however it was cut', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.uint8Array(), fc.nat(), (body, bytes, at) => {
        const json = encodeUtf8(JSON.stringify(body));
        const length = encodeCount(0, 0, json.length).subarray(2);
        const payload = joined([length, json, bytes]);
        const cut = at % (payload.length + 1);
        const whole = joined([payload.subarray(0, cut), payload.subarray(cut)]);
        const message = decodeMessage({ kind: frameKinds.bytes, channel: 1, payload: whole });
        expect(message).toEqual({ body: JSON.parse(JSON.stringify(body)), bytes });
      }),
    );
  });

  it('fails if it is not one', () => {
    expect(() => decodeFrame(new Uint8Array([1]))).toThrow('no number');
    const short = { kind: frameKinds.bytes, channel: 1, payload: new Uint8Array([9, 1]) };
    expect(() => decodeMessage(short)).toThrow('too short');
    const text = { kind: frameKinds.message, channel: 1, payload: encodeUtf8('{') };
    expect(() => decodeMessage(text)).toThrow('no JSON');
  });
});
