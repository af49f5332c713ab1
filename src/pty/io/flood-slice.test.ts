import { beforeEach, describe, expect, it } from 'vitest';
import { type Disposable, toDisposable } from '#base';
import { flow } from '#model';
import { FloodSlice } from './flood-slice.ts';
import type { EventLoop } from './read-scheduler.ts';

const { sliceMs, recentMs, typedMs } = flow.loneFlood;

const flood = 1;
const other = 2;

/** An event loop whose time the test controls. */
class FakeLoop implements EventLoop {
  timeMs = 0;
  readonly timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();

  nowMs(): number {
    return this.timeMs;
  }

  afterTurn(callback: () => void): void {
    callback();
  }

  after(delayMs: number, callback: () => void): Disposable {
    const timer = { dueMs: this.timeMs + delayMs, callback };
    this.timers.add(timer);
    return toDisposable(() => this.timers.delete(timer));
  }

  pass(ms: number): void {
    this.timeMs += ms;
    for (const timer of [...this.timers]) {
      if (timer.dueMs > this.timeMs) continue;
      this.timers.delete(timer);
      timer.callback();
    }
  }
}

describe('the time slice of a process that handles floods', () => {
  let loop: FakeLoop;
  /** What was set, in ms; 0: the usual one. */
  let set: number[];
  let slice: FloodSlice;

  beforeEach(() => {
    loop = new FakeLoop();
    set = [];
    slice = new FloodSlice((ms) => set.push(ms), loop);
  });

  it('is long while one session floods alone', () => {
    for (let count = 0; count < 5; count++) {
      slice.output(flood, true);
      loop.pass(recentMs - 1);
    }
    expect(set).toEqual([sliceMs]);
  });

  it('is the usual one when the flood has had no output for some time', () => {
    slice.output(flood, true);
    loop.pass(recentMs / 2);
    slice.output(flood, true);
    loop.pass(recentMs / 2);
    expect(set).toEqual([sliceMs]);
    loop.pass(recentMs / 2);
    expect(set).toEqual([sliceMs, 0]);
    expect(loop.timers.size).toBe(0);
  });

  it('is the usual one at once when another session has output, or a program is started', () => {
    slice.output(flood, true);
    slice.end();
    expect(set).toEqual([sliceMs, 0]);
    slice.output(flood, true);
    slice.output(other, false);
    expect(set).toEqual([sliceMs, 0, sliceMs, 0]);
    expect(loop.timers.size).toBe(0);
  });

  it('is the usual one from a key of another session on, for some time', () => {
    slice.output(flood, true);
    slice.typed(other);
    slice.output(flood, true);
    loop.pass(typedMs - 1);
    slice.output(flood, true);
    expect(set).toEqual([sliceMs, 0]);
    loop.pass(1);
    slice.output(flood, true);
    expect(set).toEqual([sliceMs, 0, sliceMs]);
  });

  it('is the usual one while a key for the flood is written', () => {
    slice.output(flood, true);
    slice.typed(flood);
    expect(set).toEqual([sliceMs, 0]);
    slice.output(flood, true);
    expect(set).toEqual([sliceMs, 0, sliceMs]);
  });

  it('is not set without a flood', () => {
    slice.output(other, false);
    slice.end();
    expect(set).toEqual([]);
  });
});
