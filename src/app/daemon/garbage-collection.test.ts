import { expect, it } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { GarbageCollection } from './garbage-collection.ts';

function begun() {
  const clock = new VirtualClock();
  const counts = { cpuMs: 0, collections: 0 };
  const collection = new GarbageCollection({
    clock,
    cpuMs: () => counts.cpuMs,
    collect: () => {
      counts.collections++;
    },
  });
  const change = (times: number) => {
    for (let time = 0; time < times; time++) collection.noteChange();
  };
  return { clock, counts, collection, change };
}

it('garbage is collected once after many sessions were started', () => {
  const { clock, counts, change } = begun();
  change(200);
  expect(counts.collections).toBe(0);
  clock.advance(2_000);
  expect(counts.collections).toBe(1);
  clock.advance(3_600_000);
  expect(counts.collections).toBe(1);
  change(63);
  clock.advance(60_000);
  expect(counts.collections).toBe(1);
  change(1);
  clock.advance(2_000);
  expect(counts.collections).toBe(2);
});

it('garbage is not collected while sessions are started, or the daemon is busy', () => {
  const { clock, counts, change } = begun();
  for (let second = 0; second < 100; second++) {
    change(10);
    clock.advance(1_000);
  }
  expect(counts.collections).toBe(0);
  for (let second = 0; second < 100; second++) {
    counts.cpuMs += 600;
    clock.advance(1_000);
  }
  expect(counts.collections).toBe(0);
  clock.advance(4_000);
  expect(counts.collections).toBe(1);
});

it('garbage is not collected after the end of the daemon', () => {
  const { clock, counts, collection, change } = begun();
  change(64);
  collection.dispose();
  clock.advance(60_000);
  expect(counts.collections).toBe(0);
});
