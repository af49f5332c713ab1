import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { ReaderHolds } from './reader-holds.ts';

const mib = 1024 * 1024;

/** Each line has a MiB. */
function held() {
  const clock = new VirtualClock();
  const state = { line: 0, paused: false };
  const holds = new ReaderHolds({
    clock,
    bytesFrom: (line) => (state.line - line) * mib,
    pause: () => {
      state.paused = true;
    },
    resume: () => {
      state.paused = false;
    },
  });
  const output = (line: number) => {
    state.line = line;
    holds.check();
    return state.paused;
  };
  return { clock, holds, output, isPaused: () => state.paused };
}

describe('a reader', () => {
  it('holds the program that is far ahead of it', () => {
    const { holds, output, isPaused } = held();
    expect(output(100)).toBe(false);
    holds.begin('one', 90)();
    expect([output(106), output(107)]).toEqual([false, true]);
    holds.begin('one', 100)();
    expect(isPaused()).toBe(false);
  });

  it('is forgotten a minute after its last call', () => {
    const { clock, holds, output, isPaused } = held();
    const end = holds.begin('one', 0);
    expect(output(20)).toBe(true);
    clock.advance(200_000);
    end();
    clock.advance(59_000);
    expect(isPaused()).toBe(true);
    clock.advance(2_000);
    expect([isPaused(), clock.pending]).toEqual([false, 0]);
  });

  it('does not hold a program that ends', () => {
    const { clock, holds, output, isPaused } = held();
    holds.begin('one', 0)();
    output(20);
    holds.end();
    expect([isPaused(), clock.pending]).toEqual([false, 0]);
  });
});
