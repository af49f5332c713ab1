import { expect, it } from 'vitest';
import type { ProcessEntry, ProcessTable } from './process-table.ts';
import { SharedListing } from './shared-listing.ts';

const entry: ProcessEntry = {
  pid: 5,
  parent: 1,
  group: 5,
  session: 5,
  terminal: null,
  foreground: 5,
  startedAt: 10,
  zombie: false,
  stopped: false,
  residentBytes: 0,
  cpuMs: 0,
  name: 'sh',
};

/** Completes listings when the test says so. Counts calls. */
class SlowTable implements ProcessTable {
  readonly pending: ((fail: boolean) => void)[] = [];
  idsAsked = 0;

  now = () => 0;
  find = async () => null;
  pssBytes = async () => null;
  hasVariable = async () => false;
  mark = () => null;
  directory = async () => null;
  pendingStops = () => [];
  runTrace = async () => null;
  firstRunTrace = () => null;
  isWorking = async () => null;
  readsTerminal = async () => null;
  list = () =>
    new Promise<readonly ProcessEntry[]>((resolve, reject) => {
      this.pending.push((fail) => (fail ? reject(new Error('no table')) : resolve([entry])));
    });
  readonly surveys: number[] = [];
  survey = (since: number) => {
    this.surveys.push(since);
    return this.list();
  };
  sessionId = async () => {
    this.idsAsked++;
    return 'id';
  };
}

it('shares one listing among the calls during another one', async () => {
  const table = new SlowTable();
  const shared = new SharedListing(table);
  const first = shared.list();
  const later = [shared.list(), shared.list(), shared.list()];
  expect(table.pending).toHaveLength(1);
  table.pending[0]?.(false);
  await first;
  await Promise.resolve();
  expect(table.pending).toHaveLength(2);
  table.pending[1]?.(false);
  expect(await Promise.all(later)).toEqual([[entry], [entry], [entry]]);
  void shared.list();
  expect(table.pending).toHaveLength(3);
});

it('continues after a listing that failed', async () => {
  const table = new SlowTable();
  const shared = new SharedListing(table);
  const first = shared.list();
  const second = shared.list();
  table.pending[0]?.(true);
  await expect(first).rejects.toThrow('no table');
  await Promise.resolve();
  table.pending[1]?.(false);
  expect(await second).toEqual([entry]);
});

it('shares one survey among the calls during another one, since the earliest of them', async () => {
  const table = new SlowTable();
  const shared = new SharedListing(table);
  const first = shared.survey(5);
  const later = [shared.survey(9), shared.survey(7), shared.survey(8)];
  table.pending[0]?.(false);
  await first;
  await Promise.resolve();
  table.pending[1]?.(false);
  expect(await Promise.all(later)).toEqual([[entry], [entry], [entry]]);
  expect(table.surveys).toEqual([5, 7]);
});

it('reads the environment of a listed process once', async () => {
  const table = new SlowTable();
  const shared = new SharedListing(table);
  expect(await shared.sessionId(entry)).toBe('id');
  expect(await shared.sessionId(entry)).toBe('id');
  expect(await shared.sessionId({ ...entry })).toBe('id');
  expect(table.idsAsked).toBe(2);
});
