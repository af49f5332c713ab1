import { PassThrough, Readable, Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Frame, FrameWriter, messageIn, readFrames } from './frames.ts';

async function framesOf(chunks: readonly Uint8Array[], maxBytes = 1_000): Promise<Frame[]> {
  const frames: Frame[] = [];
  const stream = Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: true },
  );
  for await (const frame of readFrames(stream, maxBytes)) frames.push(frame);
  return frames;
}

describe('readFrames', () => {
  it('returns lines unchanged, however they are chunked', async () => {
    const line = fc.string({ maxLength: 20 }).map((each) => each.replaceAll('\n', ''));
    const ends = fc.constantFrom('\n', '\r\n');
    const lines = fc.array(
      fc.tuple(line, ends).map((pair) => pair.join('')),
      { maxLength: 8 },
    );
    const cuts = fc.array(fc.nat(200), { maxLength: 8 });
    const property = fc.asyncProperty(lines, line, cuts, async (all, last, places) => {
      const bytes = Buffer.from(all.join('') + last);
      const marks = [0, ...places.map((at) => Math.min(at, bytes.length)), bytes.length];
      marks.sort((a, b) => a - b);
      const chunks = marks.slice(1).map((end, index) => bytes.subarray(marks[index], end));
      const frames = await framesOf(chunks.filter((chunk) => chunk.length > 0));
      const expected = [...all, ...(last === '' ? [] : [last])];
      expect(frames.map((frame) => frame.bytes.toString())).toEqual(expected);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it('accepts a frame at the limit, and returns size and beginning of a longer one', async () => {
    const full = `${'x'.repeat(1_000)}\r\n`;
    const long = `${'y'.repeat(70_000)}\n`;
    const [first, second, third] = await framesOf([Buffer.from(full + long), Buffer.from('z\n')]);
    expect(first).toEqual({ bytes: Buffer.from(full), tooLongBytes: null });
    expect(second?.tooLongBytes).toBe(long.length);
    expect(second?.bytes.toString()).toBe('y'.repeat(64 * 1024));
    expect(third?.bytes.toString()).toBe('z\n');
  });

  it('reads a large frame byte by byte', async () => {
    const text = 'x'.repeat(70_000);
    const bytes = Buffer.from(`${text}\n${text}${text}\n`);
    const chunks = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    const [first, second] = await framesOf(chunks, 70_000);
    expect(first?.bytes.equals(bytes.subarray(0, 70_001))).toBe(true);
    expect([second?.tooLongBytes, second?.bytes.length]).toEqual([140_001, 64 * 1024]);
  });

  it('reads no further than requested', async () => {
    const stream = new PassThrough({ highWaterMark: 16 });
    const frames = readFrames(stream, 1_000);
    for (let count = 0; count < 1_000; count++) stream.write('a line of it\n');
    await frames.next();
    expect(stream.readableLength + stream.writableLength).toBeGreaterThan(10_000);
    await frames.return();
  });
});

describe('messageIn', () => {
  it.each<[string, string | null, string | null]>([
    ['{"jsonrpc":"2.0","id":1,"method":"a/b","params":{}}\n', 'a/b', '1'],
    ['{"id":"x","method":"\\u0061"}', 'a', '"x"'],
    ['{"id":"\\u0078","result":{}}\r\n', null, '"x"'],
    [' {"id":12345678901234567890123,"result":null}', null, '12345678901234567890123'],
    ['{"id":null,"error":{}}', null, null],
    ['{"method":7,"params":{"method":"inner","id":3}}', null, null],
  ])('reads %s', (frame, method, id) => {
    expect(messageIn(Buffer.from(frame))).toMatchObject({ method, id });
  });

  it.each([
    '',
    '\n',
    '[]',
    '[{"method":"a"}]',
    '{}',
    '{',
    '"method"',
    '{"method":"a"}{}',
    'nonsense',
  ])('is null for %j', (frame) => {
    expect(messageIn(Buffer.from(frame))).toBeNull();
  });

  it('returns the members found in a truncated frame', () => {
    const frame = Buffer.from(
      '{"jsonrpc":"2.0","id":5,"method":"fs/write","params":{"content":"aaa',
    );
    expect(messageIn(frame)).toBeNull();
    expect(messageIn(frame, true)).toMatchObject({ id: '5', method: 'fs/write', params: null });
  });
});

describe('FrameWriter', () => {
  it('waits for a slow reader, and keeps the order', async () => {
    const taken: string[] = [];
    const stream = new Writable({
      highWaterMark: 4,
      write: (chunk, _encoding, done) => {
        taken.push(String(chunk));
        setImmediate(done);
      },
    });
    const writer = new FrameWriter(stream);
    await Promise.all(['one\n', 'two\n', 'three\n'].map((frame) => writer.write(frame)));
    expect(taken).toEqual(['one\n', 'two\n', 'three\n']);
    expect(writer.waitingBytes).toBe(0);
  });

  it('does not wait for a reader that is gone', async () => {
    const stream = new Writable({ highWaterMark: 1, write: () => {} });
    const writer = new FrameWriter(stream);
    const written = writer.write('never taken');
    stream.destroy(new Error('EPIPE'));
    await Promise.all([written, writer.gone, writer.write('more')]);
  });
});
