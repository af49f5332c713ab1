import { expect, it } from 'vitest';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { type Channel, Refused } from './channel.ts';
import { Deliveries } from './deliveries.ts';
import type { Notice } from './notices.ts';

const notice: Notice = { id: 'a', title: 'a asks', text: 'why', about: null };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Deliveries by channels that fail as long as they have errors. */
function begin(options: { readonly isRepeated?: true; readonly errors: Error[] }[]) {
  const clock = new VirtualClock();
  const happened: string[] = [];
  const gone = new Set<string>();
  /** As it was told with the last failure. */
  let waiting = 0;
  const channels = options.map(({ errors, ...more }, index): Channel => {
    const name = `channel ${index}`;
    const tell = async () => {
      const error = errors.shift();
      happened.push(`${name} ${error === undefined ? 'tells' : 'fails'}`);
      if (error !== undefined) throw error;
      return null;
    };
    return { name, isConfirmed: true, tell, ...more };
  });
  const deliveries = new Deliveries(clock, {
    isCurrent: ({ id }) => !gone.has(id),
    dropped: () => happened.push('dropped'),
    delivered: ({ title }, atMs) => happened.push(`delivered ${title} ${atMs}`),
    failed: ({ name }, message, isOver) => {
      happened.push(`${name}: ${message}${isOver ? ', over' : ''}`);
      waiting = deliveries.waiting;
    },
  });
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settled();
    return happened.splice(0);
  };
  const add = async (id = 'a') => {
    await deliveries.add({ ...notice, id }, channels, 7);
    return happened.splice(0);
  };
  return { clock, deliveries, gone, add, pass, waiting: () => waiting };
}

const failures = (count: number) => Array.from({ length: count }, () => new Error('down'));

it('a notification that was not delivered is tried again after 2 s, 10 s, 1 min and 5 min, and no more', async () => {
  const { add, pass, clock, deliveries, waiting } = begin([
    { isRepeated: true, errors: failures(9) },
  ]);
  const attempt = ['channel 0 fails', 'channel 0: down'];
  expect(await add()).toEqual(attempt);
  expect(waiting()).toBe(1);
  for (const ms of [2_000, 10_000, 60_000]) {
    expect([await pass(ms - 1), deliveries.waiting]).toEqual([[], 1]);
    expect(await pass(1)).toEqual(attempt);
  }
  expect(await pass(300_000)).toEqual(['channel 0 fails', 'channel 0: down, over']);
  expect([deliveries.waiting, clock.pending]).toEqual([0, 0]);
});

it('it is delivered when all channels have it, each of them once', async () => {
  const { add, pass } = begin([
    { isRepeated: true, errors: failures(1) },
    { isRepeated: true, errors: [] },
  ]);
  expect(await add()).toEqual(['channel 0 fails', 'channel 1 tells', 'channel 0: down']);
  expect(await pass(2_000)).toEqual(['channel 0 tells', 'delivered a asks 7']);
});

it.each([
  ['that the receiver refuses', { isRepeated: true as const, errors: [new Refused('down')] }],
  ['by a channel without repeats', { errors: failures(1) }],
])('one %s is given up, and is never delivered', async (_, channel) => {
  const { add, clock } = begin([channel, { errors: [] }]);
  expect(await add()).toEqual(['channel 0 fails', 'channel 1 tells', 'channel 0: down, over']);
  expect(clock.pending).toBe(0);
});

it('one whose reason is gone is not tried again', async () => {
  const { add, pass, gone, clock, deliveries } = begin([{ isRepeated: true, errors: failures(1) }]);
  await add();
  gone.add('a');
  expect(await pass(2_000)).toEqual(['dropped']);
  expect([clock.pending, deliveries.waiting]).toEqual([0, 0]);
});

it('at most 100 wait: then the oldest is given up', async () => {
  const { add, deliveries } = begin([{ isRepeated: true, errors: failures(500) }]);
  for (let count = 0; count < 100; count++) await add(`${count}`);
  expect(deliveries.waiting).toBe(100);
  expect(await add('more')).toContain('channel 0: more than 100 notifications wait, over');
  expect(deliveries.waiting).toBe(100);
});

it('at the end nothing is left', async () => {
  const { add, pass, deliveries, clock } = begin([{ isRepeated: true, errors: failures(1) }]);
  await add();
  deliveries.dispose();
  expect([await pass(600_000), clock.pending]).toEqual([[], 0]);
});
