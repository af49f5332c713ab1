import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { HostPulse } from './host-pulse.ts';

let clock: VirtualClock;
let events: string[];
let isAwaited: boolean;
let pulse: HostPulse;
let began = 0;

beforeEach(() => {
  clock = new VirtualClock();
  events = [];
  isAwaited = true;
  pulse = new HostPulse({
    clock,
    isAwaited: () => isAwaited,
    ping: () => events.push(`ping ${clock.nowMs() - began}`),
    onSilent: () => events.push(`silent ${clock.nowMs() - began}`),
  });
  began = clock.nowMs();
});

describe('the pulse of a host', () => {
  it('fails requests after 2.5 s without a frame', () => {
    pulse.awaited();
    clock.advance(2_400);
    expect(events).toEqual(['ping 1000']);
    clock.advance(200);
    expect(events).toEqual(['ping 1000', 'silent 2500']);
    expect(pulse.isSilent).toBe(true);
    pulse.heard();
    expect(pulse.isSilent).toBe(false);
  });

  it('goes on while the host sends something', () => {
    pulse.awaited();
    for (let at = 0; at < 20; at++) {
      clock.advance(900);
      pulse.heard();
    }
    expect(events).toEqual([]);
    clock.advance(1_100);
    pulse.heard();
    expect(events).toEqual(['ping 19000']);
    clock.advance(2_500);
    expect(events).toEqual(['ping 19000', 'ping 20100', 'silent 21600']);
  });

  it('tells a time before which a request cannot fail', () => {
    expect(pulse.leastMs).toBe(2_500);
    pulse.awaited();
    for (const passed of [0, 400, 1_000, 2_499]) {
      clock.advance(passed - (clock.nowMs() - began));
      expect(pulse.leastMs).toBe(2_500 - passed);
      expect(events.filter((event) => event.startsWith('silent'))).toEqual([]);
    }
    pulse.heard();
    expect(pulse.leastMs).toBe(2_500);
  });

  it('does nothing without a request', () => {
    pulse.awaited();
    isAwaited = false;
    clock.advance(60_000);
    expect([events, clock.pending]).toEqual([[], 0]);
  });

  it('asks again if this process did not run', () => {
    pulse.awaited();
    clock.advance(1_000);
    clock.stall(10_000);
    clock.settleIo();
    expect(events).toEqual(['ping 1000', 'ping 11000']);
    clock.advance(1_500);
    expect(pulse.isSilent).toBe(true);
  });
});
