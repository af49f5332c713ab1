import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { collectGarbage, GarbageCollection } from './garbage.ts';

function begun() {
  const clock = new VirtualClock();
  const counts = { activity: 0, collections: 0 };
  const collection = new GarbageCollection({
    clock,
    activity: () => counts.activity,
    collect: () => {
      counts.collections++;
    },
  });
  const change = (times: number) => {
    for (let time = 0; time < times; time++) collection.noteChange();
  };
  return { clock, counts, collection, change };
}

it('garbage is collected once after many sessions came or went', () => {
  const { clock, counts, change } = begun();
  change(1_000);
  clock.advance(4_000);
  expect(counts.collections).toBe(0);
  clock.advance(4_000);
  expect(counts.collections).toBe(1);
  expect(clock.pending).toBe(0);
  clock.advance(3_600_000);
  change(49);
  clock.advance(60_000);
  expect(counts.collections).toBe(1);
  change(1);
  clock.advance(6_000);
  expect(counts.collections).toBe(2);
});

it('garbage is not collected while sessions come and go, or somebody types', () => {
  const { clock, counts, change } = begun();
  for (let time = 0; time < 100; time++) {
    change(10);
    clock.advance(5_000);
  }
  for (let time = 0; time < 100; time++) {
    counts.activity++;
    clock.advance(5_000);
  }
  expect(counts.collections).toBe(0);
  clock.advance(8_000);
  expect(counts.collections).toBe(1);
});

it('garbage is collected at most once a minute', () => {
  const { clock, counts, change } = begun();
  for (let second = 0; second < 600; second += 10) {
    change(50);
    clock.advance(10_000);
  }
  expect(counts.collections).toBe(10);
});

it('garbage is not collected after the end', () => {
  const { clock, counts, collection, change } = begun();
  change(50);
  collection.dispose();
  change(50);
  clock.advance(60_000);
  expect(counts.collections).toBe(0);
  expect(clock.pending).toBe(0);
});

it('all garbage is collected, and the flags of V8 are as before', () => {
  const refs = Array.from({ length: 100 }, () => new WeakRef({ text: 'garbage' }));
  const left = () => refs.filter((ref) => ref.deref() !== undefined).length;
  return new Promise<void>((resolve) => {
    // WeakRef keeps its target until the end of the turn.
    setTimeout(() => {
      collectGarbage({ setFlagsFromString, runInNewContext });
      expect(left()).toBe(0);
      expect(runInNewContext('typeof gc')).toBe('undefined');
      resolve();
    });
  });
});
