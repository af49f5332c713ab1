import { describe, expect, it } from 'vitest';
import type { ProcessEntry } from './process-table.ts';
import type { SessionProcesses } from './session-processes.ts';
import { generations, HeldProcesses } from './suspended-processes.ts';

const entry = (pid: number, parent: number, stopped = false): ProcessEntry => ({
  ...{ pid, parent, stopped },
  ...{ group: pid, session: 1, terminal: null, foreground: -1 },
  ...{ startedAt: pid, zombie: false, name: 'sh', residentBytes: 0, cpuMs: 0 },
});

/** Processes that do what they are told, and write it down. */
function setUp(entries: readonly ProcessEntry[]) {
  const living = new Map(entries.map((each) => [each.pid, each]));
  const told: string[] = [];
  /** Wait for a device, and do not stop. */
  const never = new Set<number>();
  const set = (pid: number, stopped: boolean) => {
    const known = living.get(pid);
    if (known !== undefined) living.set(pid, { ...known, stopped });
  };
  const processes = {
    glance: async () => [...living.values()],
    async stop({ pid }: ProcessEntry) {
      if (living.get(pid)?.stopped !== false) return false;
      if (pid === 999) throw new Error('EPERM');
      told.push(`STOP ${pid}`);
      set(pid, true);
      return true;
    },
    async isRunning({ pid }: ProcessEntry) {
      return living.get(pid)?.stopped === false || never.has(pid);
    },
    async signal({ pid }: ProcessEntry) {
      told.push(`CONT ${pid}`);
      set(pid, false);
      return living.has(pid);
    },
  };
  const held = new HeldProcesses(processes as unknown as SessionProcesses);
  const hold = async () => held.hold(await processes.glance());
  return { held, hold, told, living, never };
}

const tree = [entry(30, 20), entry(20, 10), entry(10, 1), entry(21, 10)];

describe('generations', () => {
  it('has parents before children, and those whose parent is elsewhere first', () => {
    const pids = generations([...tree, entry(5, 4)]).map((each) => each.map(({ pid }) => pid));
    expect(pids).toEqual([[10, 5], [20, 21], [30]]);
    expect(generations([])).toEqual([]);
  });
});

describe('held processes', () => {
  it('are stopped from the top, and go on from the bottom', async () => {
    const { held, hold, told } = setUp(tree);
    await hold();
    expect(told).toEqual(['STOP 10', 'STOP 20', 'STOP 21', 'STOP 30']);
    expect(held.active).toBe(true);
    await held.release();
    expect(told.slice(4)).toEqual(['CONT 30', 'CONT 21', 'CONT 20', 'CONT 10']);
    expect(held.active).toBe(false);
  });

  it('do not include what somebody else has stopped: that stays stopped', async () => {
    const { held, hold, told, living } = setUp([...tree, entry(40, 10, true)]);
    await hold();
    await held.release();
    expect(told.filter((each) => each.endsWith('40'))).toEqual([]);
    expect(living.get(40)?.stopped).toBe(true);
  });

  it('include what was started while they were stopped', async () => {
    const { held, told, living } = setUp(tree);
    const seen = tree.slice(0, 3);
    living.set(50, entry(50, 30));
    await held.hold(seen);
    expect(told).toContain('STOP 21');
    expect(told).toContain('STOP 50');
    await held.release();
    expect([...living.values()].every(({ stopped }) => !stopped)).toBe(true);
  });

  it('are not many when a program forks without end', async () => {
    const { held, hold, living } = setUp(tree);
    let pid = 100;
    const grow = setInterval(() => living.set(++pid, entry(pid, 10)), 0);
    await hold();
    clearInterval(grow);
    await held.release();
    expect([...living.values()].some(({ stopped }) => stopped)).toBe(false);
  });

  it('go on by a release that comes while they are being stopped', async () => {
    const { held, living } = setUp(tree);
    await Promise.all([held.hold(tree), held.release()]);
    expect([...living.values()].some(({ stopped }) => stopped)).toBe(false);
    expect(held.active).toBe(false);
  });

  it('do not include the children of who does not stop: it would see them', async () => {
    const { held, hold, told, never } = setUp(tree);
    never.add(20);
    await hold();
    expect(told).not.toContain('STOP 30');
    await held.release();
  });

  it('may have one among them that is not ours to signal', async () => {
    const { held, hold, living } = setUp([...tree, entry(999, 10)]);
    await hold();
    expect([...living.values()].filter(({ stopped }) => stopped)).toHaveLength(4);
    await held.release();
  });

  it('are none after it was closed', async () => {
    const { held, hold, told } = setUp(tree);
    await hold();
    await held.close();
    await hold();
    expect(told).toHaveLength(8);
    expect(held.active).toBe(false);
  });
});
