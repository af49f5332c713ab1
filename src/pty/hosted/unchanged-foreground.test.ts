import { beforeEach, describe, expect, it } from 'vitest';
import type { Foreground } from '../port.ts';
import { UnchangedForeground } from './unchanged-foreground.ts';

const [leader, pid] = [10, 20];

const waiting: Foreground = {
  program: { pid, name: 'less (1)' },
  startedAt: 7,
  isLeader: false,
  readsTerminal: true,
  alsoWaits: false,
  isBlocked: true,
  modes: { echo: false, canonical: false },
};

/** As proc_pid_stat(5) has it, up to field 22. */
const stat = ({ state = 'S', group = pid, foreground = pid, threads = 1, since = 7 } = {}) =>
  `${pid} (less (1)) ${state} 1 ${group} ${leader} 34816 ${foreground} 0 0 0 0 0 1 1 0 0 20 0 ${threads} 0 ${since}\n`;

let process: { stat: string | null; trace: string | null; directory: string | null };
let unchanged: UnchangedForeground;

/** The host answers, by default as it does about a program that waits. */
const answered = (facts: Foreground = { ...waiting, trace: '12 3 4' }, during = () => {}) =>
  unchanged.noting(async () => {
    during();
    return facts;
  });

beforeEach(() => {
  process = { stat: stat(), trace: '12 3 4', directory: '/work' };
  unchanged = new UnchangedForeground(leader, {
    stat: (of) => (of === pid ? process.stat : null),
    trace: (of) => (of === pid ? process.trace : null),
    directory: (of) => (of === pid ? process.directory : null),
  });
});

describe('the foreground of a program that waits', () => {
  it('is what the host said, and the directory where the program is', async () => {
    expect(unchanged.facts(false)).toBeNull();
    expect(await answered({ ...waiting, directory: '/tmp', trace: '12 3 4' })).toEqual({
      ...waiting,
      directory: '/tmp',
    });
    expect(unchanged.facts(false)).toEqual(waiting);
    expect(unchanged.facts(true)).toEqual({ ...waiting, directory: '/work' });
    process.directory = null;
    expect(unchanged.facts(true)).toBeNull();
    expect(unchanged.facts(false)).toEqual(waiting);
  });

  it.each<[string, Partial<typeof process>]>([
    ['has run', { trace: '13 3 5' }],
    ['cannot be counted', { trace: null }],
    ['has ended', { stat: null }],
    ['runs', { stat: stat({ state: 'R' }) }],
    ['is stopped', { stat: stat({ state: 'T' }) }],
    ['has another thread', { stat: stat({ threads: 2 }) }],
    ['has left the foreground', { stat: stat({ foreground: 30 }) }],
    ['has another group', { stat: stat({ group: 30 }) }],
    ['is another process', { stat: stat({ since: 8 }) }],
  ])('is not known when the program %s, nor later', async (_, change) => {
    await answered();
    expect(unchanged.facts(false)).not.toBeNull();
    const before = { ...process };
    Object.assign(process, change);
    expect(unchanged.facts(false)).toBeNull();
    Object.assign(process, before);
    expect(unchanged.facts(false)).toBeNull();
  });

  it('is not known in another session', async () => {
    const looks = { stat: () => stat(), trace: () => '12 3 4', directory: () => '/' };
    const other = new UnchangedForeground(leader + 1, looks);
    await other.noting(async () => ({ ...waiting, trace: '12 3 4' }));
    expect(other.facts(false)).toBeNull();
  });

  it('is not known after something was sent, also while the host is asked', async () => {
    await answered();
    unchanged.disturbed();
    expect(unchanged.facts(false)).toBeNull();
    await answered(undefined, () => unchanged.disturbed());
    expect(unchanged.facts(false)).toBeNull();
    await answered();
    expect(unchanged.facts(false)).toEqual(waiting);
  });

  it.each<[string, Partial<Foreground>]>([
    ['does not read', { readsTerminal: false }],
    ['may read', { readsTerminal: null }],
    ['is not the one that reads', { reader: 'ssh' }],
    ['ran when the host looked', { trace: '11 3 3' }],
  ])('is not known if the program %s', async (_, differs) => {
    await answered({ ...waiting, trace: '12 3 4', ...differs });
    expect(unchanged.facts(false)).toBeNull();
  });

  it('is not known from an earlier host, nor without the modes', async () => {
    await answered(waiting);
    expect(unchanged.facts(false)).toBeNull();
    const { modes: _, ...others } = waiting;
    await answered({ ...others, trace: '12 3 4' });
    expect(unchanged.facts(false)).toBeNull();
  });
});
