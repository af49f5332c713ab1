import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { IdleTimer } from './idle-timer.ts';

function timer(idleMs: number) {
  const clock = new VirtualClock();
  let told = 0;
  const idle = new IdleTimer({ clock, idleMs, onIdle: () => told++ });
  return { clock, idle, told: () => told };
}

describe('IdleTimer', () => {
  it('calls onIdle once, after the idle time', () => {
    const { clock, told } = timer(100);
    clock.advance(99);
    expect(told()).toBe(0);
    clock.advance(1);
    expect(told()).toBe(1);
    clock.advance(1000);
    expect(told()).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('restarts at each touch', () => {
    const { clock, idle, told } = timer(100);
    for (let round = 0; round < 5; round++) {
      clock.advance(60);
      idle.touch();
    }
    clock.advance(99);
    expect(told()).toBe(0);
    clock.advance(1);
    expect(told()).toBe(1);
  });

  it('does not fire while it is in use, and restarts when the last use ends', () => {
    const { clock, idle, told } = timer(100);
    const users = [idle.use(), idle.use()];
    clock.advance(1050);
    users[0]?.dispose();
    users[0]?.dispose();
    clock.advance(1000);
    expect(told()).toBe(0);
    users[1]?.dispose();
    clock.advance(99);
    expect(told()).toBe(0);
    clock.advance(1);
    expect(told()).toBe(1);
  });

  it('does not count time in which the process was suspended', () => {
    const { clock, told } = timer(100);
    clock.advance(50);
    clock.stall(3_600_000);
    clock.settleIo();
    clock.advance(99);
    expect(told()).toBe(0);
    clock.advance(1);
    expect(told()).toBe(1);
  });

  it('counts use that was pending during a suspension', () => {
    const { clock, idle, told } = timer(100);
    clock.stall(600);
    idle.touch();
    clock.settleIo();
    expect(told()).toBe(0);
    clock.advance(100);
    expect(told()).toBe(1);
  });

  it('leaves no timer when disposed', () => {
    const { clock, idle, told } = timer(100);
    idle.dispose();
    clock.advance(1000);
    expect(told()).toBe(0);
    expect(clock.pending).toBe(0);
  });
});
