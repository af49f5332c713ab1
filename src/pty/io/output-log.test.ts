import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogBudget, OutputLog } from './output-log.ts';

/** Adds `bytes` as reads from the kernel would. */
function fill(log: OutputLog, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) {
    const room = log.room();
    const piece = bytes.subarray(from, from + room.length);
    room.set(piece);
    log.commit(piece.length);
    from += piece.length;
  }
}

function readFrom(log: OutputLog, offset: number): { start: number; bytes: Buffer } {
  const chunks: Uint8Array[] = [];
  let start = log.end;
  let next = offset;
  for (let chunk = log.chunkAt(next); chunk !== null; chunk = log.chunkAt(next)) {
    if (chunks.length === 0) start = chunk.offset;
    chunks.push(chunk.bytes);
    next = chunk.offset + chunk.bytes.length;
  }
  return { start, bytes: Buffer.concat(chunks) };
}

const writes = fc.array(fc.uint8Array({ maxLength: 30_000 }), { maxLength: 12 });

describe('OutputLog', () => {
  it('returns the output from any offset on that is kept', () => {
    fc.assert(
      fc.property(writes, fc.nat(200_000), fc.nat(300_000), (pieces, maxBytes, offset) => {
        const log = new OutputLog(maxBytes);
        for (const piece of pieces) {
          fill(log, piece);
          log.trim(log.end);
        }
        const all = Buffer.concat(pieces);
        expect(log.end).toBe(all.length);
        expect(log.end - log.start).toBeGreaterThanOrEqual(Math.min(maxBytes, all.length));
        const { start, bytes } = readFrom(log, offset);
        expect(start).toBe(Math.min(Math.max(offset, log.start), all.length));
        expect(bytes.equals(all.subarray(start))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('keeps little more than the limit', () => {
    const log = new OutputLog(100_000);
    for (let i = 0; i < 50; i++) {
      fill(log, new Uint8Array(10_000));
      log.trim(log.end);
    }
    expect(log.end - log.start).toBeLessThanOrEqual(100_000 + 64 * 1024);
  });

  it('drops no output that is not delivered yet', () => {
    const log = new OutputLog(1_000);
    fill(log, new Uint8Array(300_000));
    log.trim(5_000);
    expect(log.start).toBeLessThanOrEqual(5_000);
    log.trim(log.end);
    expect(log.start).toBeGreaterThan(5_000);
  });

  it('never writes to a chunk again', () => {
    const log = new OutputLog(10);
    fill(log, Buffer.from('first'));
    const first = log.chunkAt(0);
    fill(log, new Uint8Array(500_000));
    log.trim(log.end);
    expect(Buffer.from(first?.bytes ?? []).toString()).toBe('first');
  });

  it('uses the memory of dropped pages again, but never that of a chunk that may be kept', () => {
    const reads = fc.array(fc.record({ bytes: fc.nat(40_000), isBrief: fc.boolean() }));
    fc.assert(
      fc.property(reads, (each) => {
        const log = new OutputLog(10);
        const chunks: { bytes: Uint8Array; was: Buffer }[] = [];
        for (const [index, { bytes, isBrief }] of each.entries()) {
          const before = log.end;
          fill(log, new Uint8Array(bytes).fill(index));
          const chunk = log.chunkAt(before, undefined, isBrief);
          if (chunk !== null && !isBrief)
            chunks.push({ bytes: chunk.bytes, was: Buffer.from(chunk.bytes) });
          log.trim(log.end);
        }
        for (const { bytes, was } of chunks) expect(was.equals(bytes)).toBe(true);
      }),
      { numRuns: 50 },
    );
    const log = new OutputLog(10);
    const buffers = new Set<ArrayBufferLike>();
    for (let count = 0; count < 20; count++) {
      fill(log, new Uint8Array(64 * 1024));
      buffers.add(log.chunkAt(log.end - 1, undefined, true)?.bytes.buffer ?? new ArrayBuffer(0));
      log.trim(log.end);
    }
    expect(buffers.size).toBeLessThan(5);
  });

  it('uses little memory for little output, and none before it', () => {
    const logs = [0, 1, 100, 1_000].map((bytes) => {
      const log = new OutputLog(1024 * 1024);
      fill(log, new Uint8Array(bytes));
      return log;
    });
    const sizes = logs.map((log) => log.chunkAt(0)?.bytes.buffer.byteLength ?? 0);
    expect(sizes).toEqual([0, 256, 256, 2_000]);
    const [one, other] = logs.map((log) => log.room().buffer);
    expect(one).toBe(other);
  });

  it('keeps the bytes of each of several logs that are read in turns', () => {
    const turns = fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 3_000 })));
    fc.assert(
      fc.property(turns, (each) => {
        const logs = [0, 1, 2].map(() => ({
          log: new OutputLog(1024 * 1024),
          all: [] as number[],
        }));
        for (const [index, [which, count]] of each.entries()) {
          const { log, all } = logs[which] as (typeof logs)[number];
          fill(log, new Uint8Array(count).fill(index));
          for (let byte = 0; byte < count; byte++) all.push(index);
        }
        for (const { log, all } of logs)
          expect(readFrom(log, 0).bytes.equals(Buffer.from(all))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('has room for all that the kernel keeps in one read, after the first page', () => {
    const kernelBytes = 4_095;
    const counts = fc.array(fc.integer({ min: 1, max: kernelBytes }), { minLength: 40 });
    fc.assert(
      fc.property(counts, (each) => {
        const log = new OutputLog(1024 * 1024);
        for (const count of each) {
          const room = log.room();
          if (log.end >= kernelBytes) expect(room.length).toBe(kernelBytes);
          log.commit(Math.min(count, room.length));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('keeps less if all logs together have too much: the largest shrinks first', () => {
    const megabyte = 1024 * 1024;
    const budget = new LogBudget(megabyte);
    const [small, large, next] = [1, 2, 3].map(() => new OutputLog(megabyte, 0, budget));
    const fill = (log: OutputLog | undefined, bytes: number) => {
      for (let left = bytes; left > 0; left -= 32_768) log?.append(new Uint8Array(32_768));
      log?.trim(log.end);
    };
    fill(small, 200_000);
    fill(large, 700_000);
    expect([small?.start, large?.start]).toEqual([0, 0]);
    fill(next, 400_000);
    expect([small?.start, next?.start]).toEqual([0, 0]);
    expect(large?.start).toBeGreaterThan(200_000);
    large?.dispose();
    const before = [small?.start, next?.start];
    fill(next, 200_000);
    expect([small?.start, next?.start]).toEqual(before);
  });

  it('keeps output that was not delivered, whatever the budget', () => {
    const log = new OutputLog(1_000_000, 0, new LogBudget(100_000));
    for (let count = 0; count < 10; count++) log.append(new Uint8Array(32_768));
    expect(log.start).toBe(0);
    log.trim(log.end);
    log.append(new Uint8Array(32_768));
    expect(log.start).toBeGreaterThan(100_000);
  });
});
