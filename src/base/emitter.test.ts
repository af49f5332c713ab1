import { describe, expect, it } from 'vitest';
import { Emitter } from '#base';

describe('Emitter', () => {
  it('delivers in the order of subscription', () => {
    const emitter = new Emitter<number>();
    const seen: string[] = [];
    emitter.on((value) => seen.push(`a${value}`));
    emitter.on((value) => seen.push(`b${value}`));
    emitter.emit(1);
    emitter.emit(2);
    expect(seen).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it('removes and reports a listener that throws, and calls the others', () => {
    const errors: unknown[] = [];
    const emitter = new Emitter<number>((error) => errors.push(error));
    const seen: number[] = [];
    const failure = new Error('observer');
    emitter.on(() => {
      throw failure;
    });
    emitter.on((value) => seen.push(value));
    emitter.emit(1);
    emitter.emit(2);
    expect(seen).toEqual([1, 2]);
    expect(errors).toEqual([failure]);
    expect(emitter.listenerCount).toBe(1);
  });

  it('lets a listener unsubscribe during delivery', () => {
    const emitter = new Emitter<number>();
    const seen: string[] = [];
    const first = emitter.on(() => first.dispose());
    emitter.on((value) => seen.push(`b${value}`));
    emitter.emit(1);
    emitter.emit(2);
    expect(seen).toEqual(['b1', 'b2']);
    expect(emitter.listenerCount).toBe(1);
  });

  it('treats two subscriptions of one function separately', () => {
    const emitter = new Emitter<number>();
    const seen: number[] = [];
    const listener = (value: number) => seen.push(value);
    const one = emitter.on(listener);
    emitter.on(listener);
    one.dispose();
    one.dispose();
    emitter.emit(1);
    expect(seen).toEqual([1]);
  });
});
