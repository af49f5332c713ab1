import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VtrError } from '#model';
import { runs } from '../../../test/support/run/runs.ts';
import {
  decodeData,
  decodeError,
  decodeJson,
  encodeDataHeader,
  encodeError,
  encodeFields,
  encodeFrame,
  Fields,
  type Frame,
  FrameReader,
  type FrameType,
  headerBytes,
  ignorable,
  lazy,
  maxDataBytes,
  maxFrameBytes,
  ProtocolError,
} from './frames.ts';
import { decodeHello, encodeHello } from './probe-pty-host.ts';

const types: FrameType[] = ['hello', 'spawn', 'write', 'ask', 'answer', 'data', 'ack', 'bye'];

const frames = fc.array(
  fc.record({
    type: fc.constantFrom(...types),
    flags: fc.constantFrom(0, 1, 2),
    request: fc.integer({ min: 0, max: 0xffff_ffff }),
    session: fc.integer({ min: 0, max: 0xffff_ffff }),
    payload: fc.uint8Array({ maxLength: 200 }),
  }),
  { maxLength: 12 },
);

/** Splits bytes at these places. */
function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  places.sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

/** Reads frames; the payloads are copies. */
function readAll(chunks: readonly Uint8Array[]): Frame[] {
  const read: Frame[] = [];
  const reader = new FrameReader((frame) => {
    read.push({ ...frame, payload: new Uint8Array(frame.payload) });
  });
  for (const chunk of chunks) {
    // The buffer of a socket is used again.
    const copy = Buffer.from(chunk);
    reader.push(copy);
    copy.fill(0xff);
  }
  return read;
}

describe('frames', () => {
  it('are the same after a transfer in any chunks', () => {
    const property = fc.property(frames, fc.array(fc.nat(), { maxLength: 40 }), (frames, cuts) => {
      const bytes = Buffer.concat(frames.map((each) => encodeFrame(each.type, each, each.payload)));
      expect(readAll(split(bytes, cuts))).toEqual(frames);
      expect(readAll([...bytes].map((byte) => Buffer.of(byte)))).toEqual(frames);
    });
    fc.assert(property, runs(200));
  });

  it('that are malformed cause a ProtocolError and nothing else', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      // A plausible length.
      fc.uint8Array({ minLength: 16, maxLength: 64 }).map((body) => {
        const length = Buffer.alloc(4);
        length.writeUInt32LE(body.length);
        return new Uint8Array(Buffer.concat([length, body]));
      }),
    );
    const decoders = [decodeData, decodeHello, decodeJson, decodeError];
    const property = fc.property(bytes, fc.array(fc.nat(), { maxLength: 5 }), (bytes, cuts) => {
      try {
        const read = readAll(split(Buffer.from(bytes), cuts));
        for (const { payload } of read) for (const decode of decoders) attempt(decode, payload);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolError);
      }
      for (const decode of decoders) attempt(decode, bytes);
    });
    fc.assert(property, runs(500));
  });

  function attempt(decode: (payload: Uint8Array) => unknown, payload: Uint8Array): void {
    try {
      decode(payload);
    } catch (error) {
      expect(error).toBeInstanceOf(ProtocolError);
    }
  }

  it.each([
    ['shorter than a header', headerBytes - 5],
    ['longer than the limit', maxFrameBytes + 1],
  ])('%s are refused at their length', (_what, length) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(length);
    const reader = new FrameReader(() => {});
    expect(() => reader.push(bytes)).toThrow(ProtocolError);
  });

  it('that are too long are not sent', () => {
    const input = new Uint8Array(maxFrameBytes);
    expect(() => encodeFrame('write', {}, input)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });

  it('of a later version are ignored if they may be', () => {
    const unknown = (flags: number) => {
      const frame = encodeFrame('ack', { flags });
      frame[4] = 200;
      return frame;
    };
    const next = encodeFrame('ack', { request: 7 });
    expect(readAll([unknown(ignorable), next])).toMatchObject([{ type: 'ack', request: 7 }]);
    expect(() => readAll([unknown(0)])).toThrow('unknown type 200');
  });

  it('of output have its offset and its time', () => {
    const bytes = Buffer.from('output');
    const data = { offset: 2 ** 40 + 1, wallMs: 1_700_000_000_000.5, bootMs: 12.25, bytes };
    const [frame] = readAll([encodeDataHeader(3, data, lazy), bytes]);
    expect(frame).toMatchObject({ type: 'data', session: 3, flags: 2 });
    expect(decodeData(frame?.payload ?? bytes)).toEqual(data);
  });

  it('of output are neither empty nor larger than a page', () => {
    const header = new Uint8Array(24);
    expect(() => decodeData(header)).toThrow(ProtocolError);
    expect(() => decodeData(new Uint8Array(24 + maxDataBytes + 1))).toThrow(ProtocolError);
    expect(decodeData(new Uint8Array(24 + maxDataBytes)).bytes).toHaveLength(maxDataBytes);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    'have no offset %d',
    (offset) => {
      expect(() => new Fields(encodeFields({ offset })).offset()).toThrow(ProtocolError);
    },
  );

  it('of an error have its code, message and details', () => {
    const error = new VtrError('INPUT_BACKLOG', 'wait', { details: { queuedBytes: 5 } });
    expect(decodeError(encodeError(error))).toEqual(error);
    const later = Buffer.from('{"code":"OF_A_LATER_VERSION","message":"no"}');
    expect(decodeError(later)).toMatchObject({ code: 'PTY_ERROR', message: 'no' });
  });

  it('of a greeting have versions', () => {
    const hello = { min: 1, max: 3, version: '1.2.3', facts: { pid: 9, later: [1] } };
    expect(decodeHello(encodeHello(hello))).toEqual(hello);
  });
});
