import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../test/support/run/runs.ts';
import { Survey } from './proc-process-table.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';
import { SessionProcesses } from './session-processes.ts';

const initPid = 1;
const firstPid = 100;
/** Few enough that they are reused soon, but later than entries are. */
const pids = 40;
const maxLiving = 6;
const msPerFork = 10;

interface Process extends ProcessEntry {
  /** From its environment. */
  id: string | null;
  /** From its limits. */
  mark: bigint | null;
}

/** The processes of a machine. Like Linux, it gives out process ids in turn. */
class Machine {
  nowMs = 1_000;
  readonly living = new Map<number, Process>();
  reads = 0;
  #nextPid = firstPid;

  fork(parent: Process | null, more: Partial<Process> = {}): Process | null {
    if (this.living.size === maxLiving) return null;
    while (this.living.has(this.#nextPid)) this.#turn();
    const pid = this.#nextPid;
    this.#turn();
    this.nowMs += msPerFork;
    const child: Process = {
      group: pid,
      session: 1,
      terminal: null,
      foreground: -1,
      zombie: false,
      stopped: false,
      name: 'sh',
      residentBytes: 0,
      cpuMs: 0,
      memory: `${this.nowMs}`,
      id: null,
      mark: null,
      ...parent,
      pid,
      parent: parent?.pid ?? initPid,
      startedAt: this.nowMs,
      ...more,
    };
    this.living.set(pid, child);
    return child;
  }

  #turn(): void {
    this.#nextPid = this.#nextPid === firstPid + pids - 1 ? firstPid : this.#nextPid + 1;
  }

  change({ pid }: Process, more: Partial<Process>): void {
    const before = this.living.get(pid);
    if (before !== undefined && !before.zombie) this.living.set(pid, { ...before, ...more });
  }

  exec(process: Process, id: string | null): void {
    this.change(process, { id, memory: `${this.nowMs} ${process.pid} ${id}` });
  }

  /** Its children have its own parent afterwards, as below a process that adopts orphans, or init. */
  exit(process: Process, isAdopted: boolean): void {
    this.change(process, { zombie: true });
    for (const child of this.living.values()) {
      if (child.parent !== process.pid) continue;
      const parent = isAdopted ? process.parent : initPid;
      this.living.set(child.pid, { ...child, parent });
    }
  }

  /** @param list how processes are listed for a session */
  table(list: ProcessTable['survey']): ProcessTable {
    return {
      now: () => this.nowMs,
      find: async (pid) => this.living.get(pid) ?? null,
      list: () => list(Number.POSITIVE_INFINITY),
      survey: list,
      sessionId: (entry) => (entry as Process).id,
      hasVariable: async () => false,
      mark: ({ pid }) => this.living.get(pid)?.mark ?? null,
      pssBytes: async () => null,
      readsTerminal: async () => null,
      runTrace: async () => null,
      firstRunTrace: () => null,
      isWorking: async () => null,
      pendingStops: () => [],
      directory: async () => null,
    };
  }

  /** All processes as they are. */
  readonly fresh = this.table(async () => [...this.living.values()]);

  /** As a survey has them. */
  surveyed(): ProcessTable {
    const survey = new Survey({
      pids: () => [initPid, ...this.living.keys()],
      read: (pid) => {
        if (pid !== initPid) this.reads++;
        return this.living.get(pid) ?? null;
      },
      isOfSession: (entry) => Boolean((entry as Process).id),
      nowMs: () => this.nowMs,
    });
    return this.table((since) => survey.list(since));
  }
}

const marks = { one: 7n, two: 8n };

/** A session as both tables show it. */
function session(machine: Machine, surveyed: ProcessTable, id: 'one' | 'two', leader: Process) {
  const identity = {
    leaderPid: leader.pid,
    leader: Promise.resolve(leader),
    terminal: 'none',
    forkedAfter: leader.startedAt - 1,
    markerId: id,
    mark: marks[id],
  };
  const [expected, actual] = [machine.fresh, surveyed].map(
    (table) => new SessionProcesses(table, identity, () => {}),
  ) as [SessionProcesses, SessionProcesses];
  const pidsOf = async (each: SessionProcesses) =>
    (await each.list()).map(({ pid, startedAt, parent }) => ({ pid, startedAt, parent }));
  return {
    async check() {
      expect(await pidsOf(actual)).toEqual(await pidsOf(expected));
    },
    leaderGone() {
      expected.leaderGone();
      actual.leaderGone();
    },
  };
}

const place = fc.nat(pids - 1);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('fork' as const), at: place }) },
  fc.record({ do: fc.constant('exec' as const), at: place, to: fc.constantFrom(null, '') }),
  fc.record({ do: fc.constant('setsid' as const), at: place }),
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('exit' as const), at: place, isAdopted: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reap' as const), at: place }) },
  fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, 1, 300) }),
  { weight: 4, arbitrary: fc.record({ do: fc.constant('check' as const), of: fc.nat(1) }) },
);

type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

const forked = (at: number): Step => ({ do: 'fork', at });
const exited = (at: number): Step => ({ do: 'exit', at, isAdopted: true });
const reaped = (at: number): Step => ({ do: 'reap', at });
const checked = (of: number): Step => ({ do: 'check', of });

/** The second session has a program whose parent ends: that of the first adopts it. */
const adopted = [forked(1), checked(1), exited(1)];

const examples: Step[][] = [
  [...adopted, checked(0)],
  [...adopted, reaped(1), checked(0)],
  // A program of the first session gets the process id of one of the second.
  [
    ...[forked(1), checked(1)],
    ...Array.from({ length: pids - 2 }, () => [exited(2), reaped(2), forked(0)]).flat(),
    checked(0),
  ],
];

it('a survey shows a session the processes that it has', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const machine = new Machine();
      const surveyed = machine.surveyed();
      const begin = (id: 'one' | 'two', parent: Process | null) => {
        const forked = machine.fork(parent, { mark: marks[id] }) as Process;
        return { forked, ...session(machine, surveyed, id, forked) };
      };
      const one = begin('one', null);
      machine.exec(one.forked, 'one');
      // The second is of a coordinator in the first, and is seen before its exec.
      const two = begin('two', machine.living.get(one.forked.pid) as Process);
      const sessions = [one, two];
      for (const each of sessions) await each.check();
      machine.exec(two.forked, 'two');
      for (const each of steps) {
        if (each.do === 'pass') machine.nowMs += each.ms;
        else if (each.do === 'check') await sessions[each.of]?.check();
        else {
          const all = [...machine.living.values()];
          const process = all[each.at % Math.max(1, all.length)];
          if (process === undefined) continue;
          if (each.do === 'reap') {
            if (!process.zombie) continue;
            machine.living.delete(process.pid);
            for (const { forked, leaderGone } of sessions) {
              if (process.startedAt === forked.startedAt) leaderGone();
            }
          } else if (process.zombie) continue;
          else if (each.do === 'fork') machine.fork(process);
          else if (each.do === 'exec') machine.exec(process, each.to);
          else if (each.do === 'setsid') machine.change(process, { session: process.pid });
          else machine.exit(process, each.isAdopted);
        }
      }
      for (const each of sessions) await each.check();
    }),
    { ...runs(100), examples: examples.map((steps): [Step[]] => [steps]) },
  );
});

it('reads the processes of other sessions once for all that end within a moment', async () => {
  const machine = new Machine();
  const surveyed = machine.surveyed();
  const leaders = Array.from({ length: maxLiving }, (_, index) => {
    return machine.fork(null, { id: `other ${index}` }) as Process;
  });
  await surveyed.survey(0);
  expect(machine.reads).toBe(leaders.length);
  for (const { pid } of leaders) {
    machine.living.delete(pid);
    await surveyed.survey(0);
  }
  expect(machine.reads).toBe(leaders.length);
});
