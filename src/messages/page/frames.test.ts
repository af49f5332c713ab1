import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinBytes } from '#base';
import {
  decodeCount,
  decodeFrame,
  decodeWithBytes,
  encodeCount,
  encodeFrame,
  encodeWithBytes,
  frameKinds,
} from './frames.ts';

const channels = fc.nat({ max: 0xffff });

describe('[S3.32] a frame between the page and its server', () => {
  it('has the channel and the count that were encoded', () => {
    fc.assert(
      fc.property(channels, fc.nat({ max: 2 ** 48 }), (channel, count) => {
        const frame = decodeFrame(encodeCount(frameKinds.credit, channel, count));
        expect(frame).toMatchObject({ kind: frameKinds.credit, channel });
        expect(decodeCount(frame)).toBe(count);
      }),
    );
  });

  it('has its message and its bytes, whatever parts its payload was sent in', () => {
    fc.assert(
      fc.property(
        channels,
        fc.uint8Array(),
        fc.uint8Array(),
        fc.nat(),
        (channel, json, bytes, at) => {
          const payload = encodeWithBytes(json, bytes);
          const cut = at % (payload.length + 1);
          const frames = [
            encodeFrame(frameKinds.part, channel, payload.subarray(0, cut)),
            encodeFrame(frameKinds.messageWithBytes, channel, payload.subarray(cut)),
          ];
          const whole = joinBytes(frames.map((each) => decodeFrame(each).payload));
          expect(decodeWithBytes(whole)).toEqual({ json, bytes });
        },
      ),
    );
  });

  it('fails if it is not one', () => {
    expect(() => decodeFrame(new Uint8Array([1]))).toThrow('no number');
    expect(() => decodeWithBytes(new Uint8Array([9, 1]))).toThrow('too short');
  });
});
