import { describe, expect, it } from 'vitest';
import type { AgentInfo, FramesRequest } from '#model';
import type { FakePty } from '../../../test/support/pty/fake-pty.ts';
import {
  Fixture,
  inLine,
  minuteMs,
  reading,
} from '../../../test/support/session/watched-fixture.ts';

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
    await fixture.pass(100);
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
    // Known without a look.
    Object.assign(fixture.ptys[0] as FakePty, { knowsForeground: true });
    expect(await fixture.watched.infos(fixture.sessions)).toHaveLength(5);
    expect([fixture.queries, fixture.listings]).toEqual([14, 1]);
    fixture.add(1);
    fixture.add(3, true);
    Object.assign(fixture.ptys[0] as FakePty, { knowsForeground: false });
    expect(await fixture.watched.infos(fixture.sessions)).toHaveLength(9);
    expect(fixture.listings).toBe(2);
  });

  it('is one look at each program in a list of few', async () => {
    const fixture = new Fixture();
    fixture.add(4);
    let looks = 0;
    for (const pty of fixture.ptys) {
      Object.defineProperty(pty, 'knowsForeground', { get: () => ++looks > 0 });
    }
    expect(await fixture.watched.infos(fixture.sessions)).toHaveLength(4);
    expect([fixture.queries, looks]).toEqual([4, 0]);
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
    await fixture.pass(150);
    expect(isDone).toBe(true);
    const states = (await listed).map(({ activity }) => activity?.state ?? null);
    expect(states).toEqual(['running', 'awaiting_input', null]);
  });

  it('waits longer on a busy machine: until something else that was asked after the silence is answered', async () => {
    const fixture: Fixture = new Fixture(
      () => new Promise((resolve) => fixture.clock.schedule(800, () => resolve([]))),
    );
    const [, late] = [fixture.add(), fixture.add()];
    late.foreground = () =>
      new Promise((resolve) => fixture.clock.schedule(900, () => resolve(reading)));
    const listed = fixture.watched.infos(fixture.sessions);
    await fixture.pass(1_200);
    const states = (await listed).map(({ activity }) => activity?.state ?? null);
    expect(states).toEqual(['running', 'awaiting_input']);
  });

  it('does not wait for the processes of a machine that does not tell them', async () => {
    const fixture = new Fixture(() => new Promise(() => {}));
    fixture.add(5);
    const listed = fixture.watched.infos(fixture.sessions);
    await fixture.pass(1_050);
    expect((await listed).map(({ activity }) => activity?.state)).toEqual(Array(5).fill('running'));
  });
});
