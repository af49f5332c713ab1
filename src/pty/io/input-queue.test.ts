import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ignored } from '#base';
import { enterPauseMs, inputPauseMs, maxReadWaitMs } from '../port.ts';
import { type InputDevice, InputQueue, maxLineBytes, maxQueuedBytes } from './input-queue.ts';

/** A kernel buffer whose free space the test sets. */
class Sink implements InputDevice {
  room = 0;
  readonly calls: number[] = [];
  readonly taken: number[] = [];

  /** The answers of `isCanonical`, one for each call. */
  canonical: boolean[] = [];

  async isCanonical(): Promise<boolean> {
    return this.canonical.shift() ?? false;
  }

  /** The bytes that the program has not read. */
  unreadBytes: number | null = 0;

  unread(): number | null {
    return this.unreadBytes;
  }

  /** Whether the program works, at each check. */
  works: boolean | null = false;

  async work(): Promise<() => Promise<boolean | null>> {
    return async () => this.works;
  }

  write(bytes: Uint8Array): number {
    this.calls.push(bytes.length);
    const count = Math.min(this.room, bytes.length);
    this.room -= count;
    this.taken.push(...bytes.subarray(0, count));
    return count;
  }
}

/** Input of any length, in lines that no terminal truncates. */
const lines = (length: number) => new Uint8Array(length).fill(0x0a);

describe('InputQueue', () => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'],
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('passes on all input in order, however little is accepted at a time', async () => {
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

  it('writes at once when the queue is empty', () => {
    const sink = new Sink();
    sink.room = 10;
    void new InputQueue(sink).write(new Uint8Array(3));
    expect(sink.taken).toHaveLength(3);
  });

  it('writes at most 16 KiB per call and 64 KiB per turn of the event loop', async () => {
    const sink = new Sink();
    sink.room = Number.POSITIVE_INFINITY;
    const writing = new InputQueue(sink).write(lines(100 * 1024));
    expect(Math.max(...sink.calls)).toBe(16 * 1024);
    expect(sink.taken).toHaveLength(64 * 1024);
    await vi.runAllTimersAsync();
    await writing;
    expect(sink.taken).toHaveLength(100 * 1024);
  });

  it('tries a full kernel buffer less and less often, every 50 ms in the end', async () => {
    const sink = new Sink();
    const queue = new InputQueue(sink);
    const writing = ignored(queue.write(new Uint8Array(1)), 'it is never written');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sink.calls.length).toBeGreaterThan(200);
    expect(sink.calls.length).toBeLessThan(210);
    queue.close();
    await writing;
  });

  it('tries again without a timer while the program reads', async () => {
    vi.useRealTimers();
    // A turn of the event loop takes no time here, and no timer fires.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const sink = new Sink();
    let calls = 0;
    const write = sink.write.bind(sink);
    sink.write = (bytes) => {
      if (calls++ % 3 === 0) sink.room = 4096;
      return write(bytes);
    };
    const writing = new InputQueue(sink).write(lines(10 * 4096));
    for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(sink.taken).toHaveLength(10 * 4096);
    await writing;
  });

  it('pauses inside a write, and keeps the order of writes', async () => {
    const sink = new Sink();
    sink.room = 10;
    const queue = new InputQueue(sink);
    const writes = [queue.write(Uint8Array.of(1, 2, 3), { pausesAt: [1, 2] })];
    writes.push(queue.write(Uint8Array.of(4)));
    expect(sink.taken).toEqual([1]);
    await vi.advanceTimersByTimeAsync(inputPauseMs - 1);
    expect(sink.taken).toEqual([1]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sink.taken).toEqual([1, 2]);
    await vi.advanceTimersByTimeAsync(inputPauseMs);
    await Promise.all(writes);
    expect(sink.taken).toEqual([1, 2, 3, 4]);
  });

  describe('with an Enter that is apart', () => {
    const roomy = () => {
      const sink = new Sink();
      sink.room = Number.POSITIVE_INFINITY;
      return { sink, queue: new InputQueue(sink) };
    };
    const taken = (sink: Sink) => Buffer.from(sink.taken).toString();

    it.each([
      ['the program has read the text', { unreadBytes: 2 }, { unreadBytes: 0 }],
      ['a program that has read it is at rest', { works: true }, { works: false }],
    ])('waits until %s, and then for the pause', async (_what, before, after) => {
      const { sink, queue } = roomy();
      Object.assign(sink, before);
      const receipt = queue.write(Buffer.from('hi\r'), { entersAt: [2] });
      await vi.advanceTimersByTimeAsync(1_000);
      expect(taken(sink)).toBe('hi');
      Object.assign(sink, after);
      await vi.advanceTimersByTimeAsync(enterPauseMs - 1);
      expect(taken(sink)).toBe('hi');
      await vi.advanceTimersByTimeAsync(30);
      await receipt;
      expect(taken(sink)).toBe('hi\r');
    });

    it('does not wait until a program is at rest that shows the text', async () => {
      const { sink, queue } = roomy();
      sink.works = true;
      let show = () => {};
      const shown = new Promise<void>((resolve) => {
        show = resolve;
      });
      const receipt = queue.write(Buffer.from('hi\r'), { entersAt: [2], shown });
      await vi.advanceTimersByTimeAsync(1_000);
      show();
      await vi.advanceTimersByTimeAsync(enterPauseMs - 1);
      expect(taken(sink)).toBe('hi');
      await vi.advanceTimersByTimeAsync(20);
      await receipt;
      expect(taken(sink)).toBe('hi\r');
    });

    it('waits for 5 s also if each check takes long, as on a busy machine', async () => {
      const { sink, queue } = roomy();
      sink.work = async () => () =>
        new Promise((resolve) => {
          setTimeout(() => resolve(true), 90);
        });
      const receipt = queue.write(Buffer.from('hi\r'), { entersAt: [2] });
      await vi.advanceTimersByTimeAsync(maxReadWaitMs + enterPauseMs + 200);
      expect(taken(sink)).toBe('hi\r');
      await receipt;
    });

    it.each([
      ['works for longer than 5 s', true, maxReadWaitMs],
      ['cannot be asked whether it works', null, 20],
    ])('waits for a program that %s', async (_what, works, waitMs) => {
      const { sink, queue } = roomy();
      sink.works = works;
      const receipt = queue.write(Buffer.from('hi\r'), { entersAt: [2] });
      await vi.advanceTimersByTimeAsync(waitMs + enterPauseMs - 10);
      expect(taken(sink)).toBe('hi');
      await vi.advanceTimersByTimeAsync(20);
      await receipt;
      expect(taken(sink)).toBe('hi\r');
    });

    it('waits for a program that does not read for 5 s, and for one that cannot be asked for the pause', async () => {
      const { sink, queue } = roomy();
      sink.unreadBytes = 2;
      const receipt = queue.write(Buffer.from('hi\r'), { entersAt: [2] });
      await vi.advanceTimersByTimeAsync(maxReadWaitMs);
      expect(taken(sink)).toBe('hi');
      await vi.advanceTimersByTimeAsync(enterPauseMs);
      await receipt;
      sink.unreadBytes = null;
      const next = queue.write(Buffer.from('ho\r'), { entersAt: [2] });
      await vi.advanceTimersByTimeAsync(enterPauseMs + 20);
      await next;
      expect(taken(sink)).toBe('hi\rho\r');
    });

    it('keeps the order of writes', async () => {
      const { sink, queue } = roomy();
      const writes = [queue.write(Buffer.from('hi\r'), { entersAt: [2] })];
      writes.push(queue.write(Buffer.from('x')));
      await vi.advanceTimersByTimeAsync(1_000);
      await Promise.all(writes);
      expect(taken(sink)).toBe('hi\rx');
    });

    it('waits in canonical mode for nothing', async () => {
      const { sink, queue } = roomy();
      sink.canonical = [true];
      sink.unreadBytes = 2;
      await queue.write(Buffer.from('hi\r'), { entersAt: [2] });
      expect(taken(sink)).toBe('hi\r');
    });

    it('waits after the text of another write, also if its characters come one by one', async () => {
      for (const parts of [['hi'], ['h', 'i']]) {
        const { sink, queue } = roomy();
        for (const part of parts) await queue.write(Buffer.from(part));
        const receipt = queue.write(Buffer.from('\r'), { entersAt: [0] });
        await vi.advanceTimersByTimeAsync(enterPauseMs);
        expect(taken(sink)).toBe('hi');
        await vi.advanceTimersByTimeAsync(20);
        await receipt;
        expect(taken(sink)).toBe('hi\r');
      }
    });

    it.each([
      ['nothing', [], 0],
      ['a key', ['a'], 0],
      ['text of a second ago', ['hi'], 1_000],
      ['an Enter', ['hi', '\r'], 0],
      ['an Enter with kitty flags', ['hi', '\x1b[13u'], 0],
    ])('does not wait after %s', async (_what, before, passedMs) => {
      const { sink, queue } = roomy();
      for (const part of before) await queue.write(Buffer.from(part));
      await vi.advanceTimersByTimeAsync(passedMs);
      await queue.write(Buffer.from('\r'), { entersAt: [0] });
      expect(sink.taken.at(-1)).toBe(0x0d);
    });

    it('does not wait after characters that a person types one by one, nor after a reply', async () => {
      const { sink, queue } = roomy();
      for (const part of ['h', 'i']) {
        await queue.write(Buffer.from(part));
        await vi.advanceTimersByTimeAsync(60);
      }
      await queue.write(Buffer.from('\x1b[0n'), { answersTo: 1 });
      await queue.write(Buffer.from('\r'), { entersAt: [0] });
      expect(taken(sink)).toBe('hi\x1b[0n\r');
    });

    it('is withdrawn while it waits', async () => {
      const { sink, queue } = roomy();
      const cancel = new AbortController();
      const { signal } = cancel;
      const receipt = queue.write(Buffer.from('hi\r'), { signal, entersAt: [2] });
      const next = queue.write(Buffer.from('x'));
      await vi.advanceTimersByTimeAsync(50);
      cancel.abort();
      await expect(receipt).rejects.toMatchObject({ details: { acceptedBytes: 2 } });
      await vi.advanceTimersByTimeAsync(enterPauseMs);
      await next;
      expect(taken(sink)).toBe('hix');
    });
  });

  it('reports how much was accepted before a pause in which the write was withdrawn', async () => {
    const sink = new Sink();
    sink.room = 10;
    const queue = new InputQueue(sink);
    const cancel = new AbortController();
    const { signal } = cancel;
    const withdrawn = queue.write(Uint8Array.of(1, 2), { signal, pausesAt: [1] });
    const next = queue.write(Uint8Array.of(3));
    cancel.abort();
    await expect(withdrawn).rejects.toMatchObject({ details: { acceptedBytes: 1 } });
    await vi.advanceTimersByTimeAsync(inputPauseMs);
    await next;
    expect(sink.taken).toEqual([1, 3]);
  });

  describe('a write that may not be wanted any more', () => {
    const text = (sink: Sink) => Buffer.from(sink.taken).toString();

    it('is asked about when it is its turn, again after each wait, and not within it', async () => {
      const sink = new Sink();
      const queue = new InputQueue(sink);
      const first = queue.write(Buffer.from('ab'));
      const isWanted = vi.fn(async () => true);
      const reply = queue.write(Buffer.from('cd'), {}, isWanted);
      await vi.advanceTimersByTimeAsync(100);
      expect(isWanted).not.toHaveBeenCalled();
      sink.room = 2;
      await vi.advanceTimersByTimeAsync(100);
      await first;
      const asksInTime = isWanted.mock.calls.length;
      expect(asksInTime).toBeGreaterThan(1);
      sink.room = 1;
      await vi.advanceTimersByTimeAsync(100);
      const asksOfAll = isWanted.mock.calls.length;
      expect(asksOfAll).toBeGreaterThan(asksInTime);
      sink.room = 1;
      await vi.advanceTimersByTimeAsync(100);
      await reply;
      expect(isWanted).toHaveBeenCalledTimes(asksOfAll);
      expect(text(sink)).toBe('abcd');
    });

    it('fails if it is not, and those after it are written', async () => {
      const sink = new Sink();
      sink.room = 10;
      const queue = new InputQueue(sink);
      const reply = queue.write(Buffer.from('a'), {}, async () => false);
      const next = queue.write(Buffer.from('b'));
      await expect(reply).rejects.toMatchObject({
        code: 'CANCELLED',
        details: { acceptedBytes: 0 },
      });
      await next;
      expect(text(sink)).toBe('b');
      const full = queue.write(lines(maxQueuedBytes));
      queue.close();
      await expect(full).rejects.toMatchObject({ code: 'SESSION_NOT_RUNNING' });
    });

    it('is written where that is unknown, and not after it was withdrawn', async () => {
      const sink = new Sink();
      sink.room = 10;
      const queue = new InputQueue(sink);
      await queue.write(Buffer.from('a'), {}, () => Promise.reject(new Error('EMFILE')));
      for (const isWanted of [true, false]) {
        const cancel = new AbortController();
        const reply = queue.write(
          Buffer.from('b'),
          { signal: cancel.signal },
          async () => isWanted,
        );
        const next = queue.write(Buffer.from('c'));
        cancel.abort();
        await expect(reply).rejects.toMatchObject({ code: 'CANCELLED' });
        await vi.advanceTimersByTimeAsync(100);
        await next;
      }
      expect(text(sink)).toBe('acc');
    });
  });

  it('queues up to 4 MiB and refuses the write that exceeds it as a whole', async () => {
    const queue = new InputQueue(new Sink());
    const waiting = queue.write(lines(maxQueuedBytes)).catch(({ code }) => code);
    await expect(queue.write(new Uint8Array(1))).rejects.toMatchObject({ code: 'INPUT_BACKLOG' });
    await expect(queue.write(new Uint8Array(maxQueuedBytes + 1))).rejects.toMatchObject({
      code: 'INPUT_TOO_LARGE',
    });
    queue.close();
    expect(await waiting).toBe('SESSION_NOT_RUNNING');
  });

  it('has room again after a write was withdrawn', async () => {
    const queue = new InputQueue(new Sink());
    const cancel = new AbortController();
    const withdrawn = queue.write(lines(maxQueuedBytes), { signal: cancel.signal });
    cancel.abort();
    await expect(withdrawn).rejects.toMatchObject({ code: 'CANCELLED' });
    const next = queue.write(lines(maxQueuedBytes)).catch(({ code }) => code);
    queue.close();
    expect(await next).toBe('SESSION_NOT_RUNNING');
  });

  it('reports at the close how much of each write was accepted', async () => {
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

  it('fails waiting writes when writing fails; later writes may succeed', async () => {
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

  it('removes its listener from the signal after the write', async () => {
    const sink = new Sink();
    sink.room = 1;
    const listeners = new Set<() => void>();
    const signal = {
      aborted: false,
      addEventListener: (_: 'abort', listener: () => void) => void listeners.add(listener),
      removeEventListener: (_: 'abort', listener: () => void) => void listeners.delete(listener),
    };
    const queue = new InputQueue(sink);
    await queue.write(new Uint8Array(1), { signal });
    const second = ignored(queue.write(new Uint8Array(1), { signal }), 'it is never written');
    expect(listeners.size).toBe(1);
    queue.close();
    await second;
    expect(listeners.size).toBe(0);
  });

  describe('with a line that is too long for canonical mode', () => {
    const long = new Uint8Array(maxLineBytes + 1).fill(0x78);
    const roomy = (...canonical: boolean[]) => {
      const sink = new Sink();
      sink.room = Number.POSITIVE_INFINITY;
      sink.canonical = canonical;
      return { sink, queue: new InputQueue(sink) };
    };

    it('reports the truncation if the terminal is in canonical mode when the write begins', async () => {
      const { queue } = roomy(true, false);
      const receipts = [queue.write(long), queue.write(long), queue.write(Uint8Array.of(1))];
      const cuts = (await Promise.all(receipts)).map(({ lineCutAtBytes }) => lineCutAtBytes);
      expect(cuts).toEqual([maxLineBytes, undefined, undefined]);
    });

    it('keeps the order of writes', async () => {
      const { sink, queue } = roomy(true);
      await Promise.all([queue.write(long), queue.write(Uint8Array.of(1))]);
      expect(sink.taken).toEqual([...long, 1]);
    });

    it('continues with the next write if this one is withdrawn meanwhile', async () => {
      const { sink, queue } = roomy(true);
      const cancel = new AbortController();
      const withdrawn = queue.write(long, { signal: cancel.signal });
      const next = queue.write(Uint8Array.of(1));
      cancel.abort();
      await expect(withdrawn).rejects.toMatchObject({ details: { acceptedBytes: 0 } });
      await next;
      expect(sink.taken).toEqual([1]);
    });

    it.each([
      ['a line of the longest length', 'x'.repeat(maxLineBytes)],
      ['lines', `${'x'.repeat(maxLineBytes)}\n`.repeat(3)],
      ['lines that end in a carriage return', `${'x'.repeat(maxLineBytes)}\r`.repeat(3)],
      ['lines that ctrl+d ends', `${'x'.repeat(maxLineBytes)}\x04`.repeat(3)],
    ])('does not check the mode for %s', (_what, text) => {
      const { sink, queue } = roomy(true);
      void queue.write(Buffer.from(text));
      expect(sink.taken).toHaveLength(text.length);
    });
  });
});
