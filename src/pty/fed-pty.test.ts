import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defined } from '#base';
import { FedPty, Onlcr } from './fed-pty.ts';

const newPty = (logBytes?: number): FedPty =>
  new FedPty({
    program: '',
    by: 'a test',
    fromPipe: false,
    onListenerError: (error) => {
      throw error;
    },
    ...defined({ logBytes }),
  });

/** Collects all output from the first byte on. */
function collect(pty: FedPty): () => Buffer {
  const chunks: Uint8Array[] = [];
  pty.readOutput(0, ({ bytes }) => chunks.push(bytes));
  return () => Buffer.concat(chunks);
}

describe('FedPty', () => {
  it('delivers the output fed to it, in any pieces, and then the exit', async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 10_000 }), { maxLength: 8 });
    const property = fc.asyncProperty(pieces, async (all) => {
      const pty = newPty();
      const read = collect(pty);
      let endedAt = -1;
      pty.onExit(() => {
        endedAt = read().length;
      });
      for (const piece of all) await pty.feed(piece);
      pty.finish({ code: 0, signal: null });
      expect(await pty.exit).toEqual({ code: 0, signal: null });
      expect(read().equals(Buffer.concat(all))).toBe(true);
      expect([endedAt, pty.outputEnd]).toEqual([read().length, read().length]);
    });
    await fc.assert(property, { numRuns: 30 });
  });

  it('delivers nothing while it is paused, and continues after', async () => {
    const pty = newPty();
    const read = collect(pty);
    pty.pause();
    const feeding = pty.feed(Buffer.from('later'));
    await Promise.resolve();
    expect(read().toString()).toBe('');
    pty.resume();
    await feeding;
    expect(read().toString()).toBe('later');
  });

  it('ends while it is paused, and fails the feeder', async () => {
    const pty = newPty();
    pty.pause();
    const feeding = pty.feed(Buffer.from('never'));
    expect(await pty.end()).toEqual({ code: null, signal: 'SIGHUP' });
    await expect(feeding).rejects.toMatchObject({ code: 'SESSION_NOT_RUNNING' });
    expect(() => pty.finish({ code: 0, signal: null })).toThrow('has ended');
  });

  it('announces an exit to late listeners too', async () => {
    const pty = newPty();
    await pty.end();
    const exit = new Promise((resolve) => void pty.onExit(resolve));
    expect(await exit).toEqual({ code: null, signal: 'SIGHUP' });
  });

  it('lets other events run while it is flooded', async () => {
    const pty = newPty(4096);
    // About the cost of feeding a terminal.
    const slow = () => {
      const until = performance.now() + 0.2;
      while (performance.now() < until);
    };
    pty.readOutput(0, slow);
    let turns = 0;
    const count = setInterval(() => turns++, 1);
    await pty.feed(new Uint8Array(400_000));
    clearInterval(count);
    expect(turns).toBeGreaterThan(5);
    expect(pty.outputEnd - pty.outputStart).toBeLessThan(200_000);
  });

  it.each(['write', 'resize', 'signal'] as const)('refuses %s', async (what) => {
    const pty = newPty();
    await expect(pty[what]()).rejects.toMatchObject({
      code: 'SESSION_READ_ONLY',
      message: expect.stringContaining('a test'),
    });
  });
});

describe('Onlcr', () => {
  it('inserts the missing carriage returns, in any pieces', () => {
    const parts = fc.array(fc.constantFrom('\n', '\r\n', '\r', 'a', 'é'));
    const property = fc.property(parts, fc.nat(20), (all, cut) => {
      const bytes = Buffer.from(all.join(''));
      const feeds = new Onlcr();
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)].map((each) =>
        feeds.convert(each),
      );
      const expected = all.join('').replace(/(?<!\r)\n/g, '\r\n');
      expect(Buffer.concat(pieces).toString()).toBe(expected);
    });
    fc.assert(property);
  });
});
