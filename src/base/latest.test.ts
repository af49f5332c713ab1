import { describe, expect, it } from 'vitest';
import { Latest } from './latest.ts';

async function take<T>(iterator: AsyncIterator<T>): Promise<T | 'end'> {
  const { done, value } = await iterator.next();
  return done ? 'end' : value;
}

describe('Latest', () => {
  it('gives each consumer the present value, then the newest after each change', async () => {
    const latest = new Latest(1);
    const fast = latest[Symbol.asyncIterator]();
    expect(await take(fast)).toBe(1);
    const next = take(fast);
    latest.set(2);
    expect(await next).toBe(2);
    latest.set(3);
    latest.set(4);
    expect(await take(fast)).toBe(4);
    const slow = latest[Symbol.asyncIterator]();
    expect(await take(slow)).toBe(4);
    expect(latest.current).toBe(4);
  });

  it('ends, for all by `close` and `fail`, and for one by `return`', async () => {
    const latest = new Latest('first');
    const [one, other] = [latest[Symbol.asyncIterator](), latest[Symbol.asyncIterator]()];
    await Promise.all([take(one), take(other)]);
    const waiting = take(one);
    await one.return?.();
    expect(await waiting).toBe('end');
    latest.set('second');
    expect(await take(other)).toBe('second');
    const failed = take(other);
    latest.fail(new Error('lost'));
    await expect(failed).rejects.toThrow('lost');
    await expect(take(latest[Symbol.asyncIterator]())).rejects.toThrow('lost');
    const closed = new Latest('only');
    closed.close();
    closed.set('late');
    expect(await take(closed[Symbol.asyncIterator]())).toBe('end');
  });
});
