import { describe, expect, it } from 'vitest';
import type { ProcessEntry } from './process-table.ts';
import type { SessionProcesses } from './session-processes.ts';
import { generations, SuspendedProcesses } from './suspended-processes.ts';

const entry = (pid: number, parent: number, stopped = false): ProcessEntry => ({
  pid,
  parent,
  stopped,
  group: pid,
  session: 1,
  terminal: null,
  foreground: -1,
  startedAt: pid,
  zombie: false,
  name: 'sh',
  residentBytes: 0,
  cpuMs: 0,
});

/** Processes that obey signals and record them. */
function setUp(entries: readonly ProcessEntry[]) {
  const living = new Map(entries.map((each) => [each.pid, each]));
  const events: string[] = [];
  /** Pids of processes that do not stop, because they are blocked on a device. */
  const never = new Set<number>();
  const set = (pid: number, stopped: boolean) => {
    const entry = living.get(pid);
    if (entry !== undefined) living.set(pid, { ...entry, stopped });
  };
  const processes = {
    glance: async () => [...living.values()],
    async stop({ pid }: ProcessEntry) {
      if (living.get(pid)?.stopped !== false) return false;
      if (pid === 999) throw new Error('EPERM');
      events.push(`STOP ${pid}`);
      set(pid, true);
      return true;
    },
    async isRunning({ pid }: ProcessEntry) {
      return living.get(pid)?.stopped === false || never.has(pid);
    },
    async continue({ pid }: ProcessEntry) {
      events.push(`CONT ${pid}`);
      set(pid, false);
    },
  };
  const suspended = new SuspendedProcesses(processes as unknown as SessionProcesses);
  const suspend = async () => suspended.suspend(await processes.glance());
  return { suspended, suspend, told: events, living, never };
}

const tree = [entry(30, 20), entry(20, 10), entry(10, 1), entry(21, 10)];

describe('generations', () => {
  it('has parents before children, and processes with an unlisted parent first', () => {
    const pids = generations([...tree, entry(5, 4)]).map((each) => each.map(({ pid }) => pid));
    expect(pids).toEqual([[10, 5], [20, 21], [30]]);
    expect(generations([])).toEqual([]);
  });
});

describe('SuspendedProcesses', () => {
  it('stops parents first, and continues children first', async () => {
    const { suspended, suspend, told } = setUp(tree);
    await suspend();
    expect(told).toEqual(['STOP 10', 'STOP 20', 'STOP 21', 'STOP 30']);
    expect(suspended.active).toBe(true);
    await suspended.continue();
    expect(told.slice(4)).toEqual(['CONT 30', 'CONT 21', 'CONT 20', 'CONT 10']);
    expect(suspended.active).toBe(false);
  });

  it('leaves a process stopped that was stopped before', async () => {
    const { suspended, suspend, told, living } = setUp([...tree, entry(40, 10, true)]);
    await suspend();
    await suspended.continue();
    expect(told.filter((each) => each.endsWith('40'))).toEqual([]);
    expect(living.get(40)?.stopped).toBe(true);
  });

  it('includes processes that start during the suspension', async () => {
    const { suspended, told, living } = setUp(tree);
    const listed = tree.slice(0, 3);
    living.set(50, entry(50, 30));
    await suspended.suspend(listed);
    expect(told).toContain('STOP 21');
    expect(told).toContain('STOP 50');
    await suspended.continue();
    expect([...living.values()].every(({ stopped }) => !stopped)).toBe(true);
  });

  it('gives up on a program that forks without end', async () => {
    const { suspended, suspend, living } = setUp(tree);
    let pid = 100;
    const grow = setInterval(() => living.set(++pid, entry(pid, 10)), 0);
    await suspend();
    clearInterval(grow);
    await suspended.continue();
    expect([...living.values()].some(({ stopped }) => stopped)).toBe(false);
  });

  it('continues all when it is interrupted by continue', async () => {
    const { suspended, living } = setUp(tree);
    await Promise.all([suspended.suspend(tree), suspended.continue()]);
    expect([...living.values()].some(({ stopped }) => stopped)).toBe(false);
    expect(suspended.active).toBe(false);
  });

  it('leaves out the children of a process that does not stop', async () => {
    const { suspended, suspend, told, never } = setUp(tree);
    never.add(20);
    await suspend();
    expect(told).not.toContain('STOP 30');
    await suspended.continue();
  });

  it('passes over a process that may not be signalled', async () => {
    const { suspended, suspend, living } = setUp([...tree, entry(999, 10)]);
    await suspend();
    expect([...living.values()].filter(({ stopped }) => stopped)).toHaveLength(4);
    await suspended.continue();
  });

  it('suspends nothing after close', async () => {
    const { suspended, suspend, told } = setUp(tree);
    await suspend();
    await suspended.close();
    await suspend();
    expect(told).toHaveLength(8);
    expect(suspended.active).toBe(false);
  });
});
