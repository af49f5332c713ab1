import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { maxLineBytes } from './canonical-mode.ts';
import { type InputDevice, InputQueue, maxQueuedBytes } from './input-queue.ts';

/** A kernel buffer that takes as much as it has been given room for. */
class Sink implements InputDevice {
  room = 0;
  readonly calls: number[] = [];
  readonly taken: number[] = [];

  /** Modes of its terminal, one for each time that it is asked. */
  byLines: boolean[] = [];

  async readsByLines(): Promise<boolean> {
    return this.byLines.shift() ?? false;
  }

  write(bytes: Uint8Array): number {
    this.calls.push(bytes.length);
    const count = Math.min(this.room, bytes.length);
    this.room -= count;
    this.taken.push(...bytes.subarray(0, count));
    return count;
  }
}

/** As much input as one likes, in lines that no terminal cuts. */
const lines = (length: number) => new Uint8Array(length).fill(0x0a);

describe('InputQueue', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('passes everything on in order, however little is taken at a time', async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 1, max: 20 }), async (writes, roomAtATime) => {
        const sink = new Sink();
        const queue = new InputQueue(sink);
        const done = Promise.all(writes.map((bytes) => queue.write(bytes)));
        const all = writes.flatMap((bytes) => [...bytes]);
        while (sink.taken.length < all.length) {
          sink.room = roomAtATime;
          await vi.advanceTimersByTimeAsync(50);
        }
        await done;
        expect(sink.taken).toEqual(all);
      }),
      { numRuns: 30 },
    );
  });

  it('writes at once when nothing waits', () => {
    const sink = new Sink();
    sink.room = 10;
    void new InputQueue(sink).write(new Uint8Array(3));
    expect(sink.taken).toHaveLength(3);
  });

  it('takes 16 KiB a call and 64 KiB a turn', async () => {
    const sink = new Sink();
    sink.room = Number.POSITIVE_INFINITY;
    const writing = new InputQueue(sink).write(lines(100 * 1024));
    expect(Math.max(...sink.calls)).toBe(16 * 1024);
    expect(sink.taken).toHaveLength(64 * 1024);
    await vi.runAllTimersAsync();
    await writing;
    expect(sink.taken).toHaveLength(100 * 1024);
  });

  it('asks a full kernel more and more seldom, 50 ms apart at last', async () => {
    const sink = new Sink();
    const queue = new InputQueue(sink);
    const writing = queue.write(new Uint8Array(1)).catch(() => {});
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sink.calls.length).toBeGreaterThan(200);
    expect(sink.calls.length).toBeLessThan(210);
    queue.close();
    await writing;
  });

  it('holds 4 MiB and takes nothing of what goes beyond', async () => {
    const queue = new InputQueue(new Sink());
    const waiting = queue.write(lines(maxQueuedBytes)).catch(({ code }) => code);
    await expect(queue.write(new Uint8Array(1))).rejects.toMatchObject({ code: 'INPUT_BACKLOG' });
    await expect(queue.write(new Uint8Array(maxQueuedBytes + 1))).rejects.toMatchObject({
      code: 'INPUT_TOO_LARGE',
    });
    queue.close();
    expect(await waiting).toBe('SESSION_NOT_RUNNING');
  });

  it('has room again for what was withdrawn', async () => {
    const queue = new InputQueue(new Sink());
    const cancel = new AbortController();
    const withdrawn = queue.write(lines(maxQueuedBytes), cancel.signal);
    cancel.abort();
    await expect(withdrawn).rejects.toMatchObject({ code: 'CANCELLED' });
    const next = queue.write(lines(maxQueuedBytes)).catch(({ code }) => code);
    queue.close();
    expect(await next).toBe('SESSION_NOT_RUNNING');
  });

  it('tells at the close how much of each write went in', async () => {
    const sink = new Sink();
    sink.room = 7;
    const queue = new InputQueue(sink);
    const writes = [queue.write(new Uint8Array(5)), queue.write(new Uint8Array(5))];
    const last = queue.write(new Uint8Array(5));
    const results = Promise.allSettled([...writes, last]);
    queue.close();
    const accepted = (await results).map((each) =>
      each.status === 'fulfilled' ? 'all' : each.reason.details.acceptedBytes,
    );
    expect(accepted).toEqual(['all', 2, 0]);
  });

  it('fails what waits when writing fails, and later writes may succeed', async () => {
    let broken = true;
    const sink = new Sink();
    sink.write = (bytes) => {
      if (broken) throw new Error('EBADF');
      return bytes.length;
    };
    const queue = new InputQueue(sink);
    await expect(queue.write(new Uint8Array(1))).rejects.toMatchObject({ code: 'PTY_ERROR' });
    broken = false;
    await queue.write(new Uint8Array(1));
  });

  it('lets go of the signal when the write is over', async () => {
    const sink = new Sink();
    sink.room = 1;
    const listeners = new Set<() => void>();
    const signal = {
      aborted: false,
      addEventListener: (_: 'abort', listener: () => void) => void listeners.add(listener),
      removeEventListener: (_: 'abort', listener: () => void) => void listeners.delete(listener),
    };
    const queue = new InputQueue(sink);
    await queue.write(new Uint8Array(1), signal);
    const second = queue.write(new Uint8Array(1), signal).catch(() => {});
    expect(listeners.size).toBe(1);
    queue.close();
    await second;
    expect(listeners.size).toBe(0);
  });

  describe('with a line that is longer than terminals keep that read by lines', () => {
    const long = new Uint8Array(maxLineBytes + 1).fill(0x78);
    const roomy = (...byLines: boolean[]) => {
      const sink = new Sink();
      sink.room = Number.POSITIVE_INFINITY;
      sink.byLines = byLines;
      return { sink, queue: new InputQueue(sink) };
    };

    it('tells what is lost where the terminal reads so when its turn comes', async () => {
      const { queue } = roomy(true, false);
      const receipts = [queue.write(long), queue.write(long), queue.write(Uint8Array.of(1))];
      const told = (await Promise.all(receipts)).map(({ lineCutAtBytes }) => lineCutAtBytes);
      expect(told).toEqual([maxLineBytes, undefined, undefined]);
    });

    it('does not let what comes after it go before it', async () => {
      const { sink, queue } = roomy(true);
      await Promise.all([queue.write(long), queue.write(Uint8Array.of(1))]);
      expect(sink.taken).toEqual([...long, 1]);
    });

    it('goes on with the others where it is withdrawn meanwhile', async () => {
      const { sink, queue } = roomy(true);
      const cancel = new AbortController();
      const withdrawn = queue.write(long, cancel.signal);
      const next = queue.write(Uint8Array.of(1));
      cancel.abort();
      await expect(withdrawn).rejects.toMatchObject({ details: { acceptedBytes: 0 } });
      await next;
      expect(sink.taken).toEqual([1]);
    });

    it.each([
      ['a line of as many as are kept', 'x'.repeat(maxLineBytes)],
      ['lines', `${'x'.repeat(maxLineBytes)}\n`.repeat(3)],
      ['lines that end in a carriage return', `${'x'.repeat(maxLineBytes)}\r`.repeat(3)],
      ['what ctrl+d ends', `${'x'.repeat(maxLineBytes)}\x04`.repeat(3)],
    ])('does not ask for %s', (_what, text) => {
      const { sink, queue } = roomy(true);
      void queue.write(Buffer.from(text));
      expect(sink.taken).toHaveLength(text.length);
    });
  });
});
