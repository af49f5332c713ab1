import { expect, it } from 'vitest';
import type { ToldStatus } from '#model';
import { Terminal } from '#vt';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { PassedStatus } from './passed-status.ts';

const working: ToldStatus = {
  state: 'working',
  kind: null,
  app: 'claude-code',
  progress: 40,
  message: 'Führt Tests aus: 12/30',
  title: 'api',
};

/** A person's terminal that knows the protocol. */
function passing() {
  const clock = new VirtualClock();
  const terminal = new Terminal({ size: { cols: 20, rows: 2 } });
  let count = 0;
  const passed = new PassedStatus((sequence) => {
    count++;
    terminal.feed(Buffer.from(sequence));
  }, clock);
  return { clock, passed, statuses: () => terminal.statuses, count: () => count };
}

it('tells what the program says, and nothing at the end', () => {
  const { clock, passed, statuses, count } = passing();
  passed.update(null);
  expect(count()).toBe(0);
  passed.update(working);
  expect(statuses()).toEqual([{ ...working, id: '', offset: expect.any(Number) }]);
  clock.advance(250);
  const asks = { ...working, state: 'blocked', kind: 'question', progress: null } as const;
  passed.update(asks);
  expect(statuses()).toMatchObject([asks]);
  clock.advance(250);
  passed.update(asks);
  expect(count()).toBe(2);
  passed.dispose();
  expect(statuses()).toEqual([]);
  passed.dispose();
  expect(count()).toBe(3);
  expect(clock.pending).toBe(0);
});

it('tells the newest at most four times a second', () => {
  const { clock, passed, statuses, count } = passing();
  for (const progress of [1, 2, 3]) passed.update({ ...working, progress });
  expect([count(), statuses()]).toMatchObject([1, [{ progress: 1 }]]);
  clock.advance(250);
  expect([count(), statuses()]).toMatchObject([2, [{ progress: 3 }]]);
  clock.advance(1000);
  expect(count()).toBe(2);
  expect(clock.pending).toBe(0);
});
