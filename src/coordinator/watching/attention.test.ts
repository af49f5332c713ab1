import { describe, expect, it } from 'vitest';
import type { Attention, SessionsEvent } from '#model';
import type { Session } from '#session';
import { integratedShell, shellMark } from '../../../test/support/session/shell-marks.ts';
import {
  Fixture,
  inLine,
  minuteMs,
  reading,
  stepMs,
} from '../../../test/support/session/watched-fixture.ts';

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
