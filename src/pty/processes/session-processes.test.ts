import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ProcessEntry, ProcessTable, TerminalRead } from './process-table.ts';
import { SessionProcesses } from './session-processes.ts';

const leaderPid = 100;

function entry(pid: number, more: Partial<ProcessEntry> = {}): ProcessEntry {
  return {
    pid,
    parent: 1,
    group: pid,
    session: 1,
    terminal: null,
    foreground: -1,
    startedAt: 1_000 + pid,
    zombie: false,
    stopped: false,
    name: 'sh',
    residentBytes: 0,
    cpuMs: 0,
    ...more,
  };
}

const leader = entry(leaderPid, { session: leaderPid, foreground: leaderPid });

class FakeTable implements ProcessTable {
  entries: ProcessEntry[] = [leader];
  ids = new Map<number, string>();
  marks = new Map<number, bigint>();
  reads = new Map<number, TerminalRead>();
  present = 2_000;

  now = () => this.present;
  find = async (pid: number) => this.entries.find((each) => each.pid === pid) ?? null;
  list = async () => [...this.entries];
  survey = this.list;
  sessionId = async ({ pid }: ProcessEntry) => this.ids.get(pid) ?? null;
  hasVariable = async () => false;
  mark = ({ pid }: ProcessEntry) => this.marks.get(pid) ?? null;
  pssBytes = async () => null as number | null;
  directory = async () => null;
  pendingStops = () => [];
  traces = new Map<number, string>();
  runTrace = async (pid: number) => this.traces.get(pid) ?? null;
  firstRunTrace = (pid: number) => this.traces.get(pid) ?? null;
  working = new Map<number, boolean | null>();
  isWorking = async (pid: number) => this.working.get(pid) ?? null;
  readsTerminal = async (pid: number) => {
    const reads = this.reads.get(pid);
    return reads === undefined ? false : reads;
  };
}

function setUp(more: readonly ProcessEntry[] = []) {
  const table = new FakeTable();
  table.entries.push(...more);
  const signals: string[] = [];
  const processes = new SessionProcesses(
    table,
    {
      leaderPid,
      leader: Promise.resolve(leader),
      forkedAfter: leader.startedAt - 1,
      terminal: '/dev/pts/7',
      markerId: 'ours',
      mark: 7n,
    },
    (pid, signal) => signals.push(`${signal} ${pid}`),
  );
  const pids = async () => (await processes.list()).map((each) => each.pid).sort((a, b) => a - b);
  return { table, processes, sent: signals, pids };
}

describe('SessionProcesses.list', () => {
  it('finds processes with the mark, except of coordinators that were started apart, and our own children', async () => {
    const { table, pids } = setUp([
      entry(101),
      entry(102, { parent: 101 }),
      entry(103),
      entry(104),
      entry(105, { parent: process.pid }),
      entry(106),
    ]);
    for (const pid of [101, 103, 104, 105]) table.marks.set(pid, 7n);
    table.marks.set(106, 8n);
    table.ids.set(103, '');
    table.ids.set(104, 'of another coordinator');
    expect(await pids()).toEqual([leaderPid, 101, 102]);
  });

  it('finds the kernel’s session, processes with the marker, and the descendants of both', async () => {
    const { table, pids } = setUp([
      entry(101, { session: leaderPid }),
      entry(102),
      entry(103, { parent: 101 }),
      entry(104, { parent: 103 }),
      entry(105, { parent: 102 }),
      entry(200),
    ]);
    table.ids.set(102, 'ours').set(200, 'another');
    expect(await pids()).toEqual([100, 101, 102, 103, 104, 105]);
  });

  it('finds descendants in any order of the listing', async () => {
    const { pids } = setUp([entry(104, { parent: 103 }), entry(103, { parent: 101 })]);
    const { table, pids: again } = setUp();
    table.entries = [entry(102, { parent: 101 }), entry(101, { parent: 100 }), leader];
    expect(await pids()).toEqual([100]);
    expect(await again()).toEqual([100, 101, 102]);
  });

  it('leaves out zombies, this process and processes older than the fork', async () => {
    const { table, pids } = setUp([
      entry(101, { session: leaderPid, zombie: true }),
      entry(process.pid + 1_000_000, { session: leaderPid, startedAt: leader.startedAt - 2 }),
      entry(process.pid, { session: leaderPid }),
    ]);
    table.ids.set(process.pid, 'ours');
    expect(await pids()).toEqual([100]);
  });

  it('keeps processes that belonged before', async () => {
    const { table, pids } = setUp([entry(101, { parent: 100 })]);
    expect(await pids()).toEqual([100, 101]);
    table.entries = [entry(101)];
    expect(await pids()).toEqual([101]);
    table.entries = [entry(101, { startedAt: 9_999 })];
    expect(await pids()).toEqual([]);
  });

  it('leaves out a later session of the same id', async () => {
    const { table, processes, pids } = setUp();
    processes.leaderGone();
    table.entries = [
      entry(101, { session: leaderPid, startedAt: table.present - 1 }),
      entry(leaderPid, { session: leaderPid, startedAt: table.present + 1 }),
      entry(150, { session: leaderPid, startedAt: table.present + 2 }),
    ];
    expect(await pids()).toEqual([101]);
  });

  it('uses terminal and group if the system reports no session', async () => {
    const { table, pids } = setUp();
    table.entries = [
      entry(101, { session: null, terminal: '/dev/pts/7' }),
      entry(102, { session: null, group: leaderPid }),
      entry(103, { session: null, terminal: '/dev/pts/8' }),
    ];
    expect(await pids()).toEqual([101, 102]);
  });
});

/** The leader between its fork and its setsid(2): in the group and the session of its parent. */
const justForked = { ...leader, group: 50, session: 50, foreground: 50 };

describe('SessionProcesses right after the fork', () => {
  const setUpJustForked = () => {
    const session = setUp();
    session.table.entries = [justForked];
    return session;
  };

  it.each(['list', 'glance'] as const)('%s contains the leader', async (listing) => {
    const { table, processes } = setUpJustForked();
    expect(await processes[listing]()).toEqual([justForked]);
    table.entries = [leader];
    expect(await processes[listing]()).toEqual([leader]);
  });

  it('signals the leader’s group only once it exists', async () => {
    const { table, processes, sent } = setUpJustForked();
    const checks = countedFinds(table);
    const signalled = processes.signalLeaderGroup('SIGHUP');
    await vi.waitFor(() => expect(checks.count).toBeGreaterThan(2));
    expect(sent).toEqual([]);
    table.entries = [leader];
    expect(await signalled).toBe(true);
    expect(sent).toEqual(['SIGHUP -100']);
  });

  it('returns the foreground group once the leader has a terminal', async () => {
    const { table, processes } = setUpJustForked();
    const checks = countedFinds(table);
    const foreground = processes.foregroundGroup();
    await vi.waitFor(() => expect(checks.count).toBeGreaterThan(2));
    table.entries = [leader];
    expect(await foreground).toBe(leaderPid);
  });

  it.each([
    ['gone', []],
    ['dead', [{ ...justForked, zombie: true }]],
    ['stopped', [{ ...justForked, stopped: true }]],
  ])('does not wait for a leader that is %s', async (_, entries) => {
    const { table, processes } = setUpJustForked();
    table.entries = entries;
    expect(await processes.foregroundGroup()).toBe(null);
  });
});

function countedFinds(table: FakeTable): { readonly count: number } {
  const find = vi.spyOn(table, 'find');
  return {
    get count() {
      return find.mock.calls.length;
    },
  };
}

describe('SessionProcesses.foreground', () => {
  const job = [
    entry(110, { session: leaderPid, name: 'cat' }),
    entry(111, { group: 110, session: leaderPid, name: 'less' }),
  ];
  const shellBehindJob = entry(leaderPid, { session: leaderPid, foreground: 110 });

  const foregroundOf = (entries: ProcessEntry[], reads: [number, TerminalRead][] = []) => {
    const { table, processes } = setUp();
    table.entries = entries;
    table.reads = new Map(reads);
    return processes.foreground();
  };

  it('is the leader if its group is in the foreground', async () => {
    expect(await foregroundOf([leader], [[leaderPid, true]])).toEqual({
      program: { pid: leaderPid, name: 'sh' },
      startedAt: leader.startedAt,
      isLeader: true,
      readsTerminal: true,
      alsoWaits: false,
    });
  });

  it.each([
    ['the first reads', [[110, true]], true, false],
    ['the first is blocked', [[110, 'only']], true, false, { isBlocked: true }],
    ['another reads', [[111, true]], true, false, { reader: 'less' }],
    ['another is blocked', [[111, 'only']], true, false, { reader: 'less' }],
    ['one polls', [[110, 'loop']], true, false, { inEventLoop: true }],
    ['one does not read, and the other may', [[110, null]], null, null],
    [
      'one waits for more, and the other may read',
      [
        [111, 'also'],
        [110, null],
      ],
      null,
      true,
      { reader: 'less' },
    ],
    ['none reads', [], false, false],
  ] as const satisfies readonly [string, unknown, unknown, unknown, object?][])(
    'is a job of several processes of which %s',
    async (_, reads, readsTerminal, alsoWaits, more: object = {}) => {
      expect(
        await foregroundOf(
          [shellBehindJob, ...job],
          reads.map(([a, b]) => [a, b]),
        ),
      ).toEqual({
        program: { pid: 110, name: 'cat' },
        startedAt: 1_110,
        isLeader: false,
        readsTerminal,
        alsoWaits,
        ...more,
      });
    },
  );

  it.each([
    ['has ended', job.slice(1)],
    ['is dead', [{ ...job[0], zombie: true } as ProcessEntry, ...job.slice(1)]],
  ])('is another member of a job whose first program %s', async (_, left) => {
    expect(await foregroundOf([shellBehindJob, ...left], [[111, true]])).toMatchObject({
      program: { pid: 111, name: 'less' },
      isLeader: false,
      readsTerminal: true,
    });
  });

  it.each([
    ['the terminal has none', [entry(leaderPid, { session: leaderPid, foreground: -1 })], null],
    ['the leader is gone', job, null],
    ['its job is over', [shellBehindJob], false],
    ['its job is dead', [shellBehindJob, { ...job[0], zombie: true } as ProcessEntry], false],
    ['its number belongs to another process', [shellBehindJob, entry(110)], false],
  ])('is null if %s', async (_, entries, reads) => {
    const nobody = { program: null, isLeader: null, readsTerminal: reads, alsoWaits: reads };
    expect(await foregroundOf(entries)).toEqual(nobody);
  });

  it('is unknown if the system hides its job, as one that sudo has started', async () => {
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    onTestFinished(() => kill.mockRestore());
    expect(await foregroundOf([shellBehindJob])).toMatchObject({
      program: null,
      readsTerminal: null,
    });
    expect(kill).toHaveBeenCalledWith(-110, 0);
  });
});

describe('SessionProcesses.foregroundTrace', () => {
  const job = [
    entry(110, { session: leaderPid }),
    entry(111, { group: 110, session: leaderPid }),
    entry(112, { session: leaderPid }),
  ];

  it('changes when any process in the foreground has run', async () => {
    const { table, processes } = setUp();
    table.entries = [entry(leaderPid, { session: leaderPid, foreground: 110 }), ...job];
    table.traces = new Map([110, 111, 112].map((pid) => [pid, '1']));
    const trace = () => processes.foregroundTrace(table.entries);
    const first = await trace();
    expect(first).not.toBeNull();
    table.traces.set(112, '2');
    expect(await trace()).toBe(first);
    table.traces.set(111, '2');
    expect(await trace()).not.toBe(first);
    table.traces.delete(111);
    expect(await trace()).toBeNull();
  });

  it('is null without a foreground group', async () => {
    const { table, processes } = setUp();
    table.entries = [];
    expect(await processes.foregroundTrace([])).toBeNull();
  });
});

describe('SessionProcesses.foregroundWork', () => {
  it('tells whether any process in the foreground works, and nothing of others', async () => {
    const members = [110, 111, 112].map((pid) =>
      entry(pid, { group: pid === 112 ? 112 : 110, session: leaderPid }),
    );
    const { table, processes } = setUp(members);
    table.entries[0] = entry(leaderPid, { session: leaderPid, foreground: 110 });
    table.working = new Map([
      [110, false],
      [111, true],
      [112, true],
    ]);
    const works = await processes.foregroundWork();
    expect(await works()).toBe(true);
    table.working.set(111, false);
    expect(await works()).toBe(false);
    table.working.delete(110);
    expect(await works()).toBeNull();
  });

  it('is unknown without a foreground group', async () => {
    const { table, processes } = setUp();
    table.entries = [];
    expect(await (await processes.foregroundWork())()).toBeNull();
  });
});

describe('SessionProcesses: signals', () => {
  it('signal a process that is the listed one', async () => {
    const child = entry(101);
    const { processes, sent } = setUp([child]);
    expect(await processes.signal(child, 'SIGTERM')).toBe(true);
    expect(sent).toEqual(['SIGTERM 101']);
  });

  it('do not signal a reused pid', async () => {
    const { table, processes, sent } = setUp([entry(101, { startedAt: 5_000 })]);
    expect(await processes.signal(entry(101), 'SIGKILL')).toBe(false);
    table.entries = [{ ...leader, startedAt: 5_000 }];
    expect(await processes.signalLeaderGroup('SIGKILL')).toBe(false);
    expect(await processes.signalForegroundGroup('SIGKILL')).toBe(false);
    table.entries = [];
    expect(await processes.signalLeaderGroup('SIGKILL')).toBe(false);
    expect(sent).toEqual([]);
  });

  it('signal the group of the leader', async () => {
    const { processes, sent } = setUp();
    expect(await processes.signalLeaderGroup('SIGHUP')).toBe(true);
    expect(sent).toEqual(['SIGHUP -100']);
  });

  const inForeground = { ...leader, foreground: 110 };

  it('signal the foreground group', async () => {
    const { table, processes, sent } = setUp();
    table.entries = [inForeground, entry(110, { session: leaderPid })];
    expect(await processes.signalForegroundGroup('SIGINT')).toBe(true);
    expect(sent).toEqual(['SIGINT -110']);
  });

  it('signal a foreground group whose first process has ended', async () => {
    const { table, processes, sent } = setUp();
    table.entries = [inForeground, entry(111, { group: 110, session: leaderPid })];
    expect(await processes.signalForegroundGroup('SIGINT')).toBe(true);
    expect(sent).toEqual(['SIGINT -110']);
  });

  it('do not signal a foreground group that belongs to another session by now', async () => {
    const { table, processes, sent } = setUp();
    table.entries = [inForeground, entry(110), entry(111, { group: 110 })];
    expect(await processes.signalForegroundGroup('SIGINT')).toBe(false);
    expect(sent).toEqual([]);
  });

  it('return false if the process has ended, and fail if the signal is not permitted', async () => {
    const table = new FakeTable();
    let code = 'ESRCH';
    const identity = {
      leaderPid,
      leader: Promise.resolve(leader),
      forkedAfter: 0,
      terminal: '',
      markerId: 'ours',
      mark: null,
    };
    const processes = new SessionProcesses(table, identity, () => {
      throw Object.assign(new Error(code), { code });
    });
    expect(await processes.signal(leader, 'SIGKILL')).toBe(false);
    code = 'EPERM';
    await expect(processes.signal(leader, 'SIGKILL')).rejects.toThrow('EPERM');
  });
});
