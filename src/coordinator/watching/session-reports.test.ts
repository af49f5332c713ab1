import { describe, expect, it } from 'vitest';
import { VtrError } from '#model';
import type { ProcessEntry } from '#session';
import { fakeSession } from '../../../test/support/session/fake-session.ts';
import { Registry } from '../registry.ts';
import { readReport, SessionReports } from './session-reports.ts';

const shell = 4711;
const agent = 4800;

const entry = (pid: number, foreground: number) =>
  ({ pid, group: pid, foreground, startedAt: pid }) as ProcessEntry;

/** A session with a program in the foreground, whose end a test decides. */
function fixture(facts: { readonly reportKey?: string } = {}) {
  const { session, pty, clock } = fakeSession(facts);
  const registry = new Registry();
  const alive = new Set([shell, agent]);
  const counts = { told: 0, saved: 0, listed: 0 };
  const foreground = { pid: agent };
  const reports = new SessionReports({
    clock,
    registry,
    listProcesses: async () => {
      counts.listed++;
      return [entry(shell, foreground.pid), entry(foreground.pid, foreground.pid)];
    },
    isAlive: (pid) => alive.has(pid),
    save: () => counts.saved++,
    onChange: () => counts.told++,
    onTurnEnd: () => {},
    onCommand: () => {},
  });
  registry.add(session);
  const status = () => reports.statusOf(session);
  const state = () => status()?.state ?? null;
  return { session, pty, clock, registry, alive, foreground, counts, reports, status, state };
}

describe('a report', () => {
  it('is what the program says, with its conversation, until its program ends', async () => {
    const { session, reports, alive, status, state } = fixture();
    const request = { state: 'asks', message: 'Run\nthis?\x1b[31m', conversation: 'c-1' } as const;
    expect(await reports.report(session, { ...request, agent: 'claude' })).toEqual({ late: false });
    expect(status()).toMatchObject({ state: 'blocked', message: 'Run this?[31m', app: 'claude' });
    await reports.report(session, { state: 'busy', progress: 40 });
    expect(status()).toMatchObject({ state: 'working', message: '', progress: 40, app: 'claude' });
    expect(reports.of(session)).toMatchObject({ conversation: 'c-1', agent: 'claude' });
    alive.delete(agent);
    expect([state(), reports.of(session)]).toEqual([null, null]);
  });

  it('ends with the next prompt of the shell, but done stays until a command begins', async () => {
    const { session, pty, reports, state } = fixture();
    pty.output('\x1b]133;A\x07$ \x1b]133;B\x07\x1b]133;C\x07');
    await reports.report(session, { state: 'busy' });
    expect(state()).toBe('working');
    pty.output('x\x1b]133;D;0\x07\x1b]133;A\x07$ \x1b]133;B\x07');
    expect(state()).toBeNull();
    await reports.report(session, { state: 'done' });
    expect(state()).toBe('done');
  });

  it('that comes late is dropped, and so is one that is sent again', async () => {
    const { session, reports, state } = fixture();
    await reports.report(session, { state: 'busy', sequence: 10 });
    await reports.report(session, { state: 'done', sequence: 12 });
    const late = { late: true };
    expect(await reports.report(session, { state: 'busy', sequence: 11 })).toEqual(late);
    expect(await reports.report(session, { state: 'asks', sequence: 12 })).toEqual(late);
    expect(state()).toBe('done');
  });

  it('numbers of a program do not bind the next one', async () => {
    const { session, reports, alive, foreground, state } = fixture();
    await reports.report(session, { state: 'busy', sequence: 1_000 });
    alive.delete(agent);
    expect(state()).toBeNull();
    foreground.pid = agent + 1;
    alive.add(foreground.pid);
    expect(await reports.report(session, { state: 'asks', sequence: 1 })).toEqual({ late: false });
  });

  it('ends at its time, and that is told', async () => {
    const { session, reports, clock, counts, state } = fixture();
    await reports.report(session, { state: 'busy', ttlMs: 10_000 });
    clock.advance(9_999);
    expect(state()).toBe('working');
    const { told } = counts;
    clock.advance(1);
    expect([state(), counts.told]).toEqual([null, told + 1]);
    clock.advance(100);
    expect(clock.pending).toBe(0);
  });

  it('without a state leaves the state as it is', async () => {
    const { session, reports, status } = fixture();
    await reports.report(session, { conversation: 'a' });
    expect(status()).toBeNull();
    await reports.report(session, { state: 'busy', message: 'building' });
    await reports.report(session, { conversation: 'b' });
    expect(status()).toMatchObject({ state: 'working', message: 'building' });
    expect(reports.of(session)?.conversation).toBe('b');
    await reports.report(session, { state: 'clear' });
    expect(status()).toBeNull();
    expect(reports.of(session)?.conversation).toBe('b');
  });

  it('and OSC 7501: the newer one counts', async () => {
    const { session, pty, reports, state } = fixture();
    pty.output('\x1b]7501;state=working\x07');
    expect(state()).toBe('working');
    await reports.report(session, { state: 'asks' });
    expect(state()).toBe('blocked');
    pty.output('\x1b]7501;state=done\x07');
    expect(state()).toBe('done');
  });

  it.each([
    [{}],
    [{ state: 'asleep' }],
    [{ state: 'busy', message: 'x'.repeat(2049) }],
    [{ state: 'busy', progress: 101 }],
    [{ state: 'busy', ttlMs: 0 }],
    [{ state: 'busy', agent: '../x' }],
    [{ state: 'busy', sequence: -1 }],
    [{ conversation: '$(reboot)' }],
    [{ conversation: '--resume' }],
    [{ conversation: 'x'.repeat(129) }],
  ])('that is not valid is refused: %j', async (request) => {
    const { session, reports, status } = fixture();
    const refused = reports.report(session, request as never);
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(status()).toBeNull();
  });

  it('of a flood is told at most ten times a second, and the last one is told', async () => {
    const { session, reports, clock, counts, status } = fixture();
    for (let at = 0; at < 1_000; at++) {
      await reports.report(session, { state: 'busy', message: `${at}`, sequence: at });
      clock.advance(1);
    }
    clock.advance(100);
    expect(status()?.message).toBe('999');
    expect(counts.told).toBeLessThanOrEqual(12);
    expect(counts.saved).toBe(counts.told);
    expect(counts.listed).toBeLessThanOrEqual(2);
  });

  it('survives its coordinator, with what was damaged left out', async () => {
    const { session, reports } = fixture();
    await reports.report(session, { state: 'asks', message: 'Deploy?', conversation: 'c' });
    const saved = JSON.parse(JSON.stringify(reports.saved(session)));
    const next = fixture();
    next.reports.restore(next.session, saved);
    expect(next.status()).toMatchObject({ state: 'blocked', message: 'Deploy?' });
    for (const damaged of [null, 7, {}, { ...saved, state: 'x' }, { ...saved, message: 5 }])
      expect(readReport(damaged)).toBeNull();
  });
});

describe('the key of a session', () => {
  it.each([[''], ['.'], ['id-1'], ['id-1.'], ['id-1.wrong'], ['other.secret'], ['id-1.secrets']])(
    'is needed: %j',
    (key) => {
      const { reports } = fixture({ reportKey: 'secret' });
      expect(() => reports.ownerOf(key)).toThrow(VtrError);
    },
  );

  it('names its session', () => {
    const { reports, session } = fixture({ reportKey: 'secret' });
    expect(reports.ownerOf('id-1.secret')).toBe(session);
    expect(() => fixture().reports.ownerOf('id-1.')).toThrow('no session has this key');
  });
});
