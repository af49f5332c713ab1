import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Emitter, Queue } from '#base';
import { runs } from '../../test/support/run/runs.ts';
import { Latest } from './emitter.ts';

describe('Emitter', () => {
  it('delivers in the order of subscription', () => {
    const emitter = new Emitter<number>();
    const values: string[] = [];
    emitter.on((value) => values.push(`a${value}`));
    emitter.on((value) => values.push(`b${value}`));
    emitter.emit(1);
    emitter.emit(2);
    expect(values).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it('removes and reports a listener that throws, and calls the others', () => {
    const errors: unknown[] = [];
    const emitter = new Emitter<number>((error) => errors.push(error));
    const values: number[] = [];
    const failure = new Error('observer');
    emitter.on(() => {
      throw failure;
    });
    emitter.on((value) => values.push(value));
    emitter.emit(1);
    emitter.emit(2);
    expect(values).toEqual([1, 2]);
    expect(errors).toEqual([failure]);
    expect(emitter.listenerCount).toBe(1);
  });

  it('lets a listener unsubscribe during delivery', () => {
    const emitter = new Emitter<number>();
    const values: string[] = [];
    const first = emitter.on(() => first.dispose());
    emitter.on((value) => values.push(`b${value}`));
    emitter.emit(1);
    emitter.emit(2);
    expect(values).toEqual(['b1', 'b2']);
    expect(emitter.listenerCount).toBe(1);
  });

  it('treats two subscriptions of one function separately', () => {
    const emitter = new Emitter<number>();
    const values: number[] = [];
    const listener = (value: number) => values.push(value);
    const one = emitter.on(listener);
    emitter.on(listener);
    one.dispose();
    one.dispose();
    emitter.emit(1);
    expect(values).toEqual([1]);
  });
});

describe('queue', () => {
  it('returns items in the order they were added, in any mix of calls', () => {
    const property = fc.property(fc.array(fc.integer({ min: -2000, max: 2000 })), (steps) => {
      const queue = new Queue<number>();
      const model: number[] = [];
      let next = 0;
      for (const step of steps) {
        for (let count = step; count > 0; count--) {
          queue.push(next);
          model.push(next++);
        }
        for (let count = step; count < 0; count++) expect(queue.shift()).toBe(model.shift());
        expect(queue.length).toBe(model.length);
      }
    });
    fc.assert(property, runs(50));
  });

  it('is empty when cleared', () => {
    const queue = new Queue<number>();
    queue.push(1);
    queue.clear();
    expect([queue.length, queue.shift()]).toEqual([0, undefined]);
  });
});

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
