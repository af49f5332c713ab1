import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import {
  decodeCall,
  decodeCount,
  encodeCount,
  encodeFrame,
  type Frame,
  FrameError,
  FrameReader,
  frameTypes,
  headerBytes,
} from './frame.ts';

const maxPayload = 300;

/** The frames of what was received in pieces. */
function read(bytes: Buffer, cuts: readonly number[]): Frame[] {
  const frames: Frame[] = [];
  pushInPieces(new FrameReader(maxPayload, (frame) => frames.push(frame)), bytes, cuts);
  return frames;
}

function pushInPieces(reader: FrameReader, bytes: Buffer, cuts: readonly number[]): void {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  let at = 0;
  for (const end of ends.sort((a, b) => a - b)) {
    reader.push(bytes.subarray(at, end));
    at = end;
  }
}

const frame: fc.Arbitrary<Frame> = fc.record({
  type: fc.constantFrom(...Object.values(frameTypes)),
  call: fc.nat(0xffff_ffff),
  payload: fc.uint8Array({ maxLength: maxPayload }),
});

describe('frames', () => {
  it('are read as they were written, wherever they are cut', () => {
    const property = fc.property(fc.array(frame), fc.array(fc.nat()), (frames, cuts) => {
      const written = frames.map(({ type, call, payload }) =>
        encodeFrame(type as 1, call, payload),
      );
      expect(read(Buffer.concat(written), cuts)).toEqual(frames);
    });
    fc.assert(property, runs(300));
  });

  it('after one that is ignored are read, wherever they are cut', () => {
    const rest = fc.record({ frames: fc.array(frame), cuts: fc.array(fc.nat()) });
    const property = fc.property(rest, fc.nat(maxPayload - 1), ({ frames, cuts }, have) => {
      const ignored = encodeFrame(frameTypes.call, 7, Buffer.alloc(maxPayload));
      const after: Frame[] = [];
      const reader = new FrameReader(maxPayload, (each) => after.push(each));
      reader.push(ignored.subarray(0, headerBytes + have));
      expect(reader.ignore()).toEqual({ type: frameTypes.call, call: 7 });
      const written = frames.map(({ type, call, payload }) =>
        encodeFrame(type as 1, call, payload),
      );
      const left = Buffer.concat([ignored.subarray(headerBytes + have), ...written]);
      pushInPieces(reader, left, cuts);
      expect(after).toEqual(frames);
      expect(reader.receiving).toBeNull();
    });
    fc.assert(property, runs(300));
  });

  it('of a call have its method and its request', () => {
    const request = Uint8Array.of(1, 2, 3);
    const limit = { withinMs: 2300, untilMs: 123_456.789 };
    const [call] = read(encodeFrame(frameTypes.call, 7, request, 'SendBytes', limit), []);
    expect(call).toMatchObject({ type: frameTypes.call, call: 7 });
    expect(decodeCall(call?.payload ?? request)).toEqual({
      name: 'SendBytes',
      limit,
      request,
    });
    expect(() => decodeCall(Uint8Array.of(9, 65))).toThrow(FrameError);
    expect(decodeCount(encodeCount(2 ** 31))).toBe(2 ** 31);
    expect(() => decodeCount(request)).toThrow(FrameError);
  });

  it('that are too long or too short are refused before they are received', () => {
    const header = (length: number) => {
      const bytes = Buffer.alloc(headerBytes);
      bytes.writeUInt32LE(length);
      return bytes;
    };
    for (const length of [0, 4, maxPayload + 6, 0xffff_ffff]) {
      expect(() => read(header(length), [3])).toThrow(FrameError);
    }
  });
});
