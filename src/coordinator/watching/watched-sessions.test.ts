import { describe, expect, it } from 'vitest';
import { defined, toDisposable } from '#base';
import {
  type AgentInfo,
  type Attention,
  type FramesRequest,
  type SessionInfo,
  type SessionsEvent,
  watchLabel,
} from '#model';
import { completeFacts, Session, type SessionFacts } from '#session';
import { FakePty } from '../../../test/support/pty/fake-pty.ts';
import { fakeTerminal } from '../../../test/support/session/fake-session.ts';
import { integratedShell, shellMark } from '../../../test/support/session/shell-marks.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { Registry } from '../registry.ts';
import { Looks } from './looks.ts';
import { WatchedSessions } from './watched-sessions.ts';

const minuteMs = 60_000;
const stepMs = 50;
const reading = {
  program: { pid: 1, name: 'ask' },
  isLeader: false,
  readsTerminal: true,
  alsoWaits: false,
};
const computing = { ...reading, readsTerminal: false };
const inLine = { echo: true, canonical: true };

/** Sessions without programs, whose processes a test sets, and how often they are looked at. */
class Fixture {
  readonly clock = new VirtualClock();
  readonly registry = new Registry();
  readonly ptys: FakePty[] = [];
  readonly sessions: Session[] = [];
  readonly infos = new Map<string, SessionInfo>();
  readonly events: SessionsEvent[] = [];
  /** The agent of all sessions. */
  agent: AgentInfo | null = null;
  /** At which sessions persons begin and cease to look. */
  readonly looked: string[] = [];
  branchOf: (directory: string) => Promise<string | null> = async () => null;
  listings = 0;
  queries = 0;
  readonly looks = new Looks({
    registry: this.registry,
    clock: this.clock,
    save: () => {},
    onLook: (id) => this.watched.agentChanged(id),
  });
  readonly watched: WatchedSessions = new WatchedSessions({
    clock: this.clock,
    registry: this.registry,
    onFault: (error) => {
      throw error;
    },
    agentOf: () => this.agent,
    statusOf: () => null,
    looks: {
      begin: (id) => {
        this.looked.push(id);
        const look = this.looks.begin(id);
        return toDisposable(() => {
          look.dispose();
          this.looked.push(`not ${id}`);
        });
      },
      seen: (id) => this.looks.seen(id),
      unseenSince: (id, atMs) => this.looks.unseenSince(id, atMs),
    },
    infoOf: (session) => ({ ...session.info(), ...defined({ agent: this.agent }) }),
    branchOf: (directory) => this.branchOf(directory),
    listProcesses: () => {
      this.listings++;
      return this.list();
    },
  });

  private readonly list: () => Promise<[]>;

  constructor(list: () => Promise<[]> = async () => []) {
    this.list = list;
  }

  add(count = 1, exited = false, more: Partial<SessionFacts> = {}): FakePty {
    for (let added = 0; added < count; added++) {
      const pty = new FakePty();
      const foreground = () => {
        this.queries++;
        return Promise.resolve(pty.facts.foreground);
      };
      pty.foreground = foreground;
      pty.facts = { foreground: computing, modes: inLine };
      const id = `id-${this.ptys.length}`;
      const createdAtMs = this.clock.wallMs();
      const session = new Session({
        facts: completeFacts({ name: id, id, createdAtMs, args: ['me'], ...more }),
        pty,
        terminal: fakeTerminal({ cols: 40, rows: 4 }),
        clock: this.clock,
        onFault: (error) => {
          throw error;
        },
      });
      this.registry.add(session);
      this.ptys.push(pty);
      this.sessions.push(session);
      if (exited) pty.announceExit({ code: 0, signal: null });
    }
    return this.ptys.at(-1) as FakePty;
  }

  async watch(): Promise<void> {
    const opening = this.watched.watch({});
    await this.pass(500);
    const watch = await opening;
    void (async () => {
      for await (const event of watch) {
        this.events.push(event);
        if (event.type === 'session') this.infos.set(event.session.id, event.session);
      }
    })();
    await this.pass(stepMs);
  }

  /** Advances the time in steps in which queries are answered. */
  async pass(ms: number, each: () => void = () => {}, step = stepMs): Promise<void> {
    for (let left = ms; left > 0; left -= step) {
      each();
      this.clock.advance(Math.min(step, left));
      this.clock.settleIo();
      await new Promise((resolve) => setImmediate(resolve));
      this.clock.settleIo();
    }
  }

  /** As a person chooses for what the first session is watched. */
  watchFor(what: string): void {
    this.looks.watch('id-0');
    this.sessions[0]?.changeLabels({ [watchLabel]: what });
  }

  get attention(): Pick<Attention, 'kind' | 'evidence'> | null {
    const { attention } = this.infos.get('id-0') ?? {};
    return attention === undefined ? null : { kind: attention.kind, evidence: attention.evidence };
  }

  /** Without a watcher. */
  async listed(): Promise<Attention | null> {
    const [info] = await this.watched.infos(this.registry.list());
    return info?.attention ?? null;
  }
}

describe('a look', () => {
  it('is that of a watch with a person, until it shows another session or ends', async () => {
    const fixture = new Fixture();
    fixture.add(2);
    const opening = fixture.watched.watch({ frames: { sessions: ['id-0'] } });
    await fixture.pass(500);
    const watch = await opening;
    const expected: string[] = [];
    const look = async (frames: FramesRequest | null, ...looked: string[]) => {
      await watch.setFrames(frames);
      expected.push(...looked);
      expect(fixture.looked).toEqual(expected);
    };
    await look({ sessions: ['id-0'] });
    await look({ sessions: ['id-0'], looking: true }, 'id-0');
    await look({ sessions: ['id-0'], looking: true, perSecond: 5 });
    await look({ sessions: ['id-1'], looking: true }, 'not id-0', 'id-1');
    await look({ sessions: ['id-1'] }, 'not id-1');
    await look({ sessions: ['id-1'], looking: true }, 'id-1');
    watch.dispose();
    expect(fixture.looked).toEqual([...expected, 'not id-1']);
  });
});

describe('an agent that works', () => {
  it('is told once, although its title and its evidence change all the time', async () => {
    const fixture = new Fixture();
    const pty = fixture.add();
    const agent = { kind: 'codex', state: 'busy', sinceMs: 0, turn: 0, rules: 'vtr' } as const;
    const works = (seconds: number): AgentInfo => {
      const text = `Working (${seconds}s)`;
      return { ...agent, evidence: [{ state: 'busy', strength: 'strong', rule: 'row', text }] };
    };
    fixture.agent = works(0);
    pty.output('\x1b]2;⠋ api\x07');
    await fixture.watch();
    await fixture.pass(2_000);
    const start = fixture.events.length;
    for (let turn = 0; turn < 20; turn++) {
      fixture.agent = works(turn);
      pty.output(`\x1b]2;${'⠋⠙⠹'[turn % 3]} api\x07`);
      fixture.watched.agentChanged('id-0');
      await fixture.pass(100);
    }
    expect(fixture.events.length).toBe(start);
    fixture.agent = { ...agent, state: 'idle', turn: 1, evidence: [] };
    fixture.watched.agentChanged('id-0');
    await fixture.pass(100);
    expect(fixture.infos.get('id-0')?.agent).toMatchObject({ state: 'idle', turn: 1 });
    expect(fixture.events.length).toBe(start + 1);
  });
});

describe('the branch of a directory', () => {
  it('is in lists, and is told when it changes with the activity', async () => {
    const fixture = new Fixture();
    const pty = fixture.add();
    pty.facts = { ...pty.facts, directory: '/src/api' };
    let branch: string | null = 'main';
    const requests: string[] = [];
    fixture.branchOf = async (directory) => {
      requests.push(directory);
      return branch;
    };
    const [listed] = await fixture.watched.infos(fixture.sessions);
    expect(listed?.activity).toMatchObject({ directory: '/src/api', branch: 'main' });
    await fixture.watch();
    expect(JSON.stringify(fixture.events[0])).toContain('"branch":"main"');
    branch = 'fix';
    pty.output('Switched to branch fix\r\n');
    await fixture.pass(1_000);
    expect(fixture.infos.get('id-0')?.activity?.branch).toBe('fix');
    branch = null;
    pty.output('rm -rf .git\r\n');
    await fixture.pass(1_000);
    expect(fixture.infos.get('id-0')?.activity).not.toHaveProperty('branch');
    expect(new Set(requests)).toEqual(new Set(['/src/api']));
  });

  it.each([
    ['at once', 0],
    ['late', 150],
  ])(
    'takes nothing else from a list if the file system does not answer, and the activity is known %s',
    async (_, afterMs) => {
      const fixture = new Fixture();
      const pty = fixture.add();
      pty.directory = () =>
        new Promise((resolve) => fixture.clock.schedule(afterMs, () => resolve('/net/lost')));
      fixture.branchOf = () => new Promise(() => {});
      const listing = fixture.watched.infos(fixture.sessions);
      await fixture.pass(400);
      const [listed] = await listing;
      expect(listed?.activity).toMatchObject({ directory: '/net/lost' });
      expect(listed?.activity).not.toHaveProperty('branch');
    },
  );
});

describe('the cost of sessions', () => {
  it('is nothing to list none', async () => {
    const fixture = new Fixture();
    expect(await fixture.watched.infos([])).toEqual([]);
    expect(fixture.listings).toBe(0);
  });

  it('is a listing of the machine’s processes only for many', async () => {
    const fixture = new Fixture();
    fixture.add(4);
    expect(await fixture.watched.infos(fixture.sessions)).toHaveLength(4);
    expect([fixture.queries, fixture.listings]).toEqual([4, 0]);
    fixture.add(1);
    expect(await fixture.watched.infos(fixture.sessions)).toHaveLength(5);
    expect([fixture.queries, fixture.listings]).toEqual([9, 1]);
  });

  it('is nothing while nobody watches', async () => {
    const fixture = new Fixture();
    const pty = fixture.add(10);
    pty.output('hello\x07 world\r\n');
    await fixture.pass(2 * minuteMs);
    expect([fixture.queries, fixture.listings, fixture.clock.pending]).toEqual([0, 0, 0]);
    await fixture.watch();
    expect(fixture.clock.pending).toBeGreaterThan(0);
  });

  it('is bounded if hundreds are idle, and ends with the watch', async () => {
    const fixture = new Fixture();
    fixture.add(200);
    for (const pty of fixture.ptys) pty.output('working on it\r\n');
    const watch = fixture.watched.watch({});
    const none = () => {};
    await fixture.pass(2 * minuteMs, none, 1_000);
    fixture.queries = 0;
    fixture.listings = 0;
    await fixture.pass(5 * minuteMs, none, 1_000);
    // Twice each, and at most one listing every 10 s for all.
    expect(fixture.queries).toBeGreaterThan(0);
    expect(fixture.queries).toBeLessThanOrEqual(400);
    expect(fixture.listings).toBeLessThanOrEqual(30);
    (await watch).dispose();
    expect(fixture.clock.pending).toBe(0);
  }, 60_000);

  it('is a query in 5 s of a session that prints without a pause', async () => {
    const fixture = new Fixture();
    const pty = fixture.add();
    await fixture.watch();
    let count = 0;
    const print = () => pty.output(`line ${count++}\r\n`);
    await fixture.pass(30_000, print);
    fixture.queries = 0;
    const events = fixture.events.length;
    await fixture.pass(minuteMs, print);
    expect(fixture.queries).toBeLessThanOrEqual(13);
    // Its revision alone is not a change.
    expect(fixture.events.length - events).toBe(0);
    // What it asks at last is seen soon all the same.
    pty.output('Go on? ');
    pty.facts = { foreground: reading, modes: inLine };
    await fixture.pass(900);
    expect(fixture.attention).toEqual({ kind: 'input', evidence: 'Go on?' });
  });
});

describe('a list', () => {
  it('has a session without its activity if that is not known 300 ms after another', async () => {
    const fixture = new Fixture();
    const [, late, stuck] = [fixture.add(), fixture.add(), fixture.add()];
    const reads = () => Promise.resolve(reading);
    late.foreground = () =>
      new Promise((resolve) => fixture.clock.schedule(250, () => resolve(reads())));
    stuck.foreground = () => new Promise(() => {});
    const listed = fixture.watched.infos(fixture.sessions);
    let isDone = false;
    void listed.then(() => {
      isDone = true;
    });
    await fixture.pass(500);
    expect(isDone).toBe(false);
    await fixture.pass(100);
    expect(isDone).toBe(true);
    const states = (await listed).map(({ activity }) => activity?.state ?? null);
    expect(states).toEqual(['running', 'awaiting_input', null]);
  });

  it('does not wait for the processes of a machine that does not tell them', async () => {
    const fixture = new Fixture(() => new Promise(() => {}));
    fixture.add(5);
    const listed = fixture.watched.infos(fixture.sessions);
    await fixture.pass(1_050);
    expect((await listed).map(({ activity }) => activity?.state)).toEqual(Array(5).fill('running'));
  });
});

describe('the attention', () => {
  it('is not late because of a session whose system does not answer', async () => {
    const fixture = new Fixture();
    const [pty, stuck] = [fixture.add(), fixture.add()];
    stuck.foreground = () => new Promise(() => {});
    stuck.output('stuck');
    pty.output('Go on? ');
    pty.facts = { foreground: reading, modes: inLine };
    const opening = fixture.watched.watch({});
    // The first list waits as `list` does.
    await fixture.pass(11_000);
    const events = (await opening)[Symbol.asyncIterator]();
    const first = (await events.next()).value as SessionsEvent & { type: 'sessions' };
    expect(first.sessions.map(({ attention }) => attention?.kind)).toEqual(['input', undefined]);
    pty.output('\r\nReally? ');
    await fixture.pass(4_000);
    const { value } = await events.next();
    const evidence = value?.type === 'session' && value.session.attention?.evidence;
    expect(evidence).toBe('Really?');
  });

  it('is told soon after its program could not be found in time', async () => {
    const fixture = new Fixture();
    const pty = fixture.add();
    await fixture.watch();
    const { foreground } = pty;
    pty.foreground = () => new Promise(() => {});
    pty.output('Go on? ');
    // The query that begins after 300 ms is given up after 3 s.
    await fixture.pass(3_200);
    pty.foreground = foreground;
    pty.facts = { foreground: reading, modes: inLine };
    expect(fixture.attention).toBeNull();
    await fixture.pass(1_500);
    expect(fixture.attention).toEqual({ kind: 'input', evidence: 'Go on?' });
  });

  it('lasts until input is sent, and keeps its beginning while the screen is painted again', async () => {
    const fixture = new Fixture();
    const pty = fixture.add();
    await fixture.watch();
    pty.output('Go on? ');
    pty.facts = { foreground: reading, modes: inLine };
    await fixture.pass(2_000);
    const first = fixture.infos.get('id-0')?.attention;
    expect(first).toMatchObject({ kind: 'input', evidence: 'Go on?' });
    for (let times = 0; times < 5; times++) {
      pty.output('\rGo on? ');
      await fixture.pass(1_000);
    }
    expect(fixture.infos.get('id-0')?.attention).toEqual(first);
    await fixture.sessions[0]?.sendText('y', {});
    await fixture.pass(stepMs);
    expect(fixture.attention).toBeNull();
    // Someone who types an answer has time to end it.
    pty.output('y');
    await fixture.pass(10_000);
    expect(fixture.attention).toBeNull();
    await fixture.pass(minuteMs);
    expect(fixture.attention?.kind).toBe('input');
  });

  it('of a program is not told of the prompt after it', async () => {
    const fixture = new Fixture();
    const pty = fixture.add();
    await fixture.watch();
    const prompt = '\x1b]133;A\x07root@vm:~# \x1b]133;B\x07';
    pty.output(prompt);
    await fixture.sessions[0]?.sendText('cat\r', {});
    pty.output('cat\r\n\x1b]133;C\x07');
    pty.facts = { foreground: reading, modes: inLine };
    await fixture.sessions[0]?.sendText('\x03', {});
    pty.output('^C');
    // On a busy machine it is queried before it ends.
    await fixture.pass(2_000);
    expect(fixture.attention?.kind).toBe('input');
    pty.facts = { foreground: { ...reading, isLeader: true }, modes: inLine };
    pty.output(`\r\n\x1b]133;D;130\x07${prompt}`);
    await fixture.pass(5_000);
    expect(fixture.infos.get('id-0')?.activity?.state).toBe('at_prompt');
    const events = fixture.events.map((each) =>
      each.type === 'session' ? each.session.attention?.evidence : undefined,
    );
    expect(events).not.toContain('root@vm:~#');
  });

  it('of a bell is none where the bell answers a key', async () => {
    for (const [key, waitMs, output, kind] of [
      ['\t', 0, '\x07', null],
      ['make\r', 0, '\x07', 'bell'],
      // A busy machine answers late.
      ['\x7f\x7f', 9_000, '\x07\x07', null],
      ['\t', 9_000, 'built\x07', 'bell'],
      ['\t', 11_000, '\x07', 'bell'],
    ] as const) {
      const fixture = new Fixture();
      const pty = fixture.add();
      await fixture.sessions[0]?.sendText(key, {});
      fixture.clock.advance(waitMs);
      pty.output(output);
      expect((await fixture.listed())?.kind ?? null).toBe(kind);
    }
  });

  describe.each([
    ['back', -60 * minuteMs],
    ['ahead', 60 * minuteMs],
  ])('when the time of day is set %s after a key', (_, ms) => {
    it.each([
      [500, null],
      [11_000, 'bell'],
    ])('of a bell %i ms later is %s', async (waitMs, kind) => {
      const fixture = new Fixture();
      const pty = fixture.add();
      await fixture.sessions[0]?.sendText('\t', {});
      fixture.clock.setAhead(ms);
      fixture.clock.advance(waitMs);
      pty.output('\x07');
      expect((await fixture.listed())?.kind ?? null).toBe(kind);
    });

    it.each([
      [2_000, null],
      [6_000, 'prompt'],
    ])('of a command that ends %i ms later is %s', async (waitMs, kind) => {
      const fixture = new Fixture();
      const pty = fixture.add(1, false, integratedShell);
      const prompt = `${shellMark('A')}$ ${shellMark('B')}`;
      pty.output(prompt);
      await fixture.sessions[0]?.sendText('make\r', {});
      pty.output(`make\r\n${shellMark('C')}Sure?`);
      fixture.clock.advance(1_000);
      await fixture.sessions[0]?.sendText('y', {});
      fixture.clock.setAhead(ms);
      fixture.clock.advance(waitMs);
      pty.output(`y\r\n${shellMark('D;0')}${prompt}`);
      expect((await fixture.listed())?.kind ?? null).toBe(kind);
    });
  });

  it('is quiet when a program that printed has printed nothing for five minutes', async () => {
    const fixture = new Fixture();
    const pty = fixture.add();
    await fixture.watch();
    await fixture.pass(6 * minuteMs);
    expect(fixture.attention).toBeNull();
    pty.output('linking\r\n');
    await fixture.pass(4.5 * minuteMs);
    expect(fixture.attention).toBeNull();
    await fixture.pass(2 * minuteMs);
    expect(fixture.attention).toEqual({ kind: 'quiet', evidence: 'no output after: linking' });
    expect((await fixture.listed())?.kind).toBe('quiet');
    pty.output('done\r\n');
    await fixture.pass(1_000);
    expect(fixture.attention).toBeNull();
  });

  it.each([
    ['back', -60 * minuteMs],
    ['ahead', 60 * minuteMs],
  ])('is the same when the time of day is set %s', async (_, ms) => {
    const quiet = new Fixture();
    quiet.add().output('linking\r\n');
    quiet.clock.setAhead(ms);
    await quiet.watch();
    await quiet.pass(4.5 * minuteMs);
    expect(quiet.attention).toBeNull();
    await quiet.pass(2 * minuteMs);
    expect(quiet.attention?.kind).toBe('quiet');

    const typing = new Fixture();
    const pty = typing.add();
    pty.output('Name? ');
    pty.facts = { foreground: reading, modes: inLine };
    await typing.watch();
    await typing.sessions[0]?.sendText('x', {});
    pty.output('x');
    typing.clock.setAhead(ms);
    await typing.pass(20_000);
    expect(typing.attention).toBeNull();
    await typing.pass(20_000);
    expect(typing.attention?.kind).toBe('input');
  });

  it('of an ended program tells how it ended, unless somebody ended it', async () => {
    const kill = (session: Session | undefined) => session?.kill('TERM');
    const memory = (session: Session | undefined) => session?.noteEnd({ reason: 'memory' });
    const idle = (session: Session | undefined) => session?.noteEnd({ reason: 'idle' });
    const none = () => {};
    for (const [before, status, expected] of [
      [
        none,
        { code: 0, signal: null },
        { kind: 'done', evidence: 'fake me: exited with status 0' },
      ],
      [
        none,
        { code: 3, signal: null },
        { kind: 'failed', evidence: 'fake me: exited with status 3' },
      ],
      [
        none,
        { code: null, signal: 'SIGSEGV' },
        { kind: 'failed', evidence: 'fake me: was killed by SIGSEGV' },
      ],
      [
        memory,
        { code: null, signal: 'SIGKILL' },
        { kind: 'failed', evidence: 'fake me: was killed by SIGKILL (memory)' },
      ],
      [idle, { code: null, signal: 'SIGHUP' }, null],
      [kill, { code: null, signal: 'SIGTERM' }, null],
    ] as const) {
      const fixture = new Fixture();
      const pty = fixture.add();
      await before(fixture.sessions[0]);
      pty.announceExit(status);
      const attention = await fixture.listed();
      expect(attention && { kind: attention.kind, evidence: attention.evidence }).toEqual(expected);
    }
  });

  it('of an ended program lasts until somebody looks, also one who looks at its end', async () => {
    const fixture = new Fixture();
    fixture.add().announceExit({ code: 3, signal: null });
    await fixture.watch();
    fixture.add().announceExit({ code: 3, signal: null });
    const kinds = async () =>
      (await fixture.watched.infos(fixture.registry.list())).map(
        ({ attention }) => attention?.kind,
      );
    expect(await kinds()).toEqual(['failed', 'failed']);
    await fixture.pass(100);
    fixture.looks.begin('id-0').dispose();
    await fixture.pass(200);
    expect(await kinds()).toEqual([undefined, 'failed']);
    expect(fixture.attention).toBeNull();
    const look = fixture.looks.begin('id-1');
    expect(await kinds()).toEqual([undefined, undefined]);
    look.dispose();
    expect(await kinds()).toEqual([undefined, undefined]);
  });

  it('has evidence of one line, without control characters, of at most 200 characters', async () => {
    const fixture = new Fixture();
    const pty = fixture.add();
    pty.output(`\x1b]777;notify;a\u202eb;${'long '.repeat(100)}\x07`);
    const { kind, evidence } = (await fixture.listed()) as Attention;
    expect(kind).toBe('notification');
    expect(evidence).toMatch(/^ab: long long/);
    expect([...evidence]).toHaveLength(200);
  });
});

describe('what a person watches a session for', () => {
  const activity = { kind: 'activity', evidence: 'output that nobody has seen' };

  it('is its output, from then on until somebody looks', async () => {
    const fixture = new Fixture();
    const pty = fixture.add();
    pty.output('before\r\n');
    await fixture.watch();
    fixture.watchFor('activity');
    await fixture.pass(2_000);
    expect([fixture.attention, await fixture.listed()]).toEqual([null, null]);
    pty.output('more\r\n');
    await fixture.pass(1_000);
    expect(fixture.attention).toEqual(activity);
    const since = fixture.infos.get('id-0')?.attention?.sinceMs;
    for (let line = 0; line < 20; line++) {
      pty.output(`${line}\r\n`);
      await fixture.pass(500);
    }
    // It is one event, however long the program prints.
    expect(fixture.infos.get('id-0')?.attention?.sinceMs).toBe(since);
    expect(await fixture.listed()).toMatchObject(activity);

    const look = fixture.looks.begin('id-0');
    await fixture.pass(200);
    expect(fixture.attention).toBeNull();
    pty.output('seen\r\n');
    await fixture.pass(1_000);
    look.dispose();
    await fixture.pass(1_000);
    expect(fixture.attention).toBeNull();
    pty.output('unseen\r\n');
    await fixture.pass(50);
    expect(fixture.attention).toEqual(activity);
    expect(fixture.infos.get('id-0')?.attention?.sinceMs).toBeGreaterThan(since ?? 0);
  });

  it('is its silence, at the moment that it is as long as chosen', async () => {
    const fixture = new Fixture();
    const pty = fixture.add();
    const silence = { kind: 'silence', evidence: 'no output for 30s after: linking' };
    pty.output('linking\r\n');
    await fixture.watch();
    await fixture.pass(60_000);
    fixture.watchFor('silence=30s');
    await fixture.pass(29_900);
    expect(fixture.attention).toBeNull();
    await fixture.pass(200);
    expect(fixture.attention).toEqual(silence);
    pty.output('linking\r\n');
    const printedMs = fixture.clock.wallMs();
    await fixture.pass(29_900);
    expect(fixture.attention).toBeNull();
    await fixture.pass(200);
    expect(fixture.attention).toEqual(silence);
    expect(fixture.infos.get('id-0')?.attention?.sinceMs).toBe(printedMs + 30_000);
    expect(await fixture.listed()).toMatchObject(silence);
    fixture.looks.begin('id-0').dispose();
    await fixture.pass(4 * minuteMs);
    expect(fixture.attention).toBeNull();
  });

  it('is first its output and then its silence, if both', async () => {
    const fixture = new Fixture();
    const pty = fixture.add();
    await fixture.watch();
    fixture.watchFor('activity,silence=5s');
    await fixture.pass(100);
    pty.output('tick\r\n');
    // At once, however seldom the activity is looked at.
    await fixture.pass(50);
    expect(fixture.attention).toEqual(activity);
    await fixture.pass(4_900);
    expect(fixture.attention).toEqual(activity);
    await fixture.pass(100);
    expect(fixture.attention?.kind).toBe('silence');
    pty.output('tock\r\n');
    await fixture.pass(150);
    expect(fixture.attention).toEqual(activity);
  });

  it('is each bell, which typing does not end', async () => {
    const fixture = new Fixture();
    const pty = fixture.add();
    await fixture.watch();
    const ring = async () => {
      await fixture.sessions[0]?.sendText('\t', {});
      pty.output('\x07');
      await fixture.pass(1_000);
    };
    await ring();
    expect(fixture.attention).toBeNull();
    fixture.watchFor('bell');
    await fixture.pass(100);
    await ring();
    await fixture.sessions[0]?.sendText('x', {});
    await fixture.pass(1_000);
    expect(fixture.attention?.kind).toBe('bell');
    fixture.looks.begin('id-0').dispose();
    await fixture.pass(200);
    expect(fixture.attention).toBeNull();
  });

  it('costs no timer without a watcher, nor for a value that says nothing', async () => {
    const fixture = new Fixture();
    const pty = fixture.add();
    fixture.watchFor('silence=30s');
    pty.output('a\r\n');
    await fixture.pass(1_000);
    expect(fixture.clock.pending).toBe(0);
    fixture.watchFor('silence=1ms,nonsense');
    pty.output('b\r\n');
    await fixture.pass(minuteMs);
    expect(await fixture.listed()).toBeNull();
  });
});

it('the time of the last bell is told, of several at once the first', async () => {
  const fixture = new Fixture();
  const pty = fixture.add();
  await fixture.watch();
  const bellMs = () => fixture.infos.get('id-0')?.bellAtMs;
  pty.output('\x07');
  const firstMs = fixture.clock.wallMs();
  await fixture.pass(400);
  pty.output('\x07');
  await fixture.pass(400);
  expect(bellMs()).toBe(firstMs);
  pty.output('\x07');
  await fixture.pass(400);
  expect(bellMs()).toBe(firstMs + 800);
});
