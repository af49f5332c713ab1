import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Ending } from './ending.ts';
import type { ProcessEntry } from './process-table.ts';
import type { SessionProcesses } from './session-processes.ts';

/** A session of which the test says what is left of it; records what it was sent. */
function session(options: { foreground?: number | null; left?: string[] } = {}) {
  const sent: string[] = [];
  const left = new Set(options.left ?? []);
  let reportExit = (): void => {};
  let exited = false;
  const entries = (): ProcessEntry[] =>
    [...left].map((name) => ({ name, pid: name.length, startedAt: 1 }) as ProcessEntry);
  const processes = {
    foregroundGroup: async () => options.foreground ?? null,
    signalForegroundGroup: async (signal: string) => sent.push(`${signal} foreground`) > 0,
    signalLeaderGroup: async (signal: string) => sent.push(`${signal} leader`) > 0,
    signal: async ({ name }: ProcessEntry, signal: string) => sent.push(`${signal} ${name}`) > 0,
    list: async () => entries(),
  } as unknown as SessionProcesses;
  const leader = {
    pid: 100,
    hasExited: () => exited,
    exited: new Promise<void>((resolve) => {
      reportExit = resolve;
    }),
  };
  const exit = () => {
    exited = true;
    reportExit();
  };
  return { sent, left, exit, ending: new Ending(processes, leader) };
}

describe('Ending', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('asks the foreground group and the leader’s with HUP, CONT and TERM', async () => {
    const { sent, exit, ending } = session({ foreground: 110 });
    ending.hasten({});
    const run = ending.run();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual([
      'SIGHUP foreground',
      'SIGHUP leader',
      'SIGCONT foreground',
      'SIGCONT leader',
      'SIGTERM foreground',
      'SIGTERM leader',
    ]);
    exit();
    await run;
  });

  it('does not ask the same group twice', async () => {
    const { sent, exit, ending } = session({ foreground: 100 });
    ending.hasten({});
    const run = ending.run();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual(['SIGHUP leader', 'SIGCONT leader', 'SIGTERM leader']);
    exit();
    await run;
  });

  it('reminds a leader that stays, without a second TERM', async () => {
    const { sent, exit, ending } = session();
    ending.hasten({});
    const run = ending.run();
    await vi.advanceTimersByTimeAsync(160);
    expect(sent.filter((each) => each === 'SIGTERM leader')).toHaveLength(1);
    expect(sent.filter((each) => each === 'SIGHUP leader')).toHaveLength(3);
    exit();
    await run;
  });

  it('asks each of those left behind once, and kills them after the grace', async () => {
    const { sent, left, exit, ending } = session({ left: ['a'] });
    exit();
    ending.hasten({});
    const run = ending.run();
    await vi.advanceTimersByTimeAsync(1_000);
    left.add('bb');
    await vi.advanceTimersByTimeAsync(3_900);
    expect(sent).toEqual([
      'SIGHUP a',
      'SIGCONT a',
      'SIGTERM a',
      'SIGHUP bb',
      'SIGCONT bb',
      'SIGTERM bb',
    ]);
    await vi.advanceTimersByTimeAsync(200);
    expect(sent.slice(6, 8)).toEqual(['SIGKILL a', 'SIGKILL bb']);
    left.clear();
    await vi.advanceTimersByTimeAsync(1_000);
    await run;
  });

  it.each([{ force: true }, { graceMs: 0 }])('kills without asking given %o', async (options) => {
    const { sent, left, exit, ending } = session({ left: ['leader'] });
    ending.hasten(options);
    const run = ending.run();
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual(['SIGKILL leader']);
    left.clear();
    exit();
    await vi.advanceTimersByTimeAsync(10);
    await run;
  });

  it('can be hastened and not be slowed down', async () => {
    const { sent, left, exit, ending } = session({ left: ['a'] });
    exit();
    ending.hasten({ graceMs: 1_000 });
    const run = ending.run();
    ending.hasten({ graceMs: 60_000 });
    await vi.advanceTimersByTimeAsync(900);
    expect(sent).not.toContain('SIGKILL a');
    ending.hasten({ force: true });
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toContain('SIGKILL a');
    left.clear();
    await vi.advanceTimersByTimeAsync(1_000);
    await run;
  });

  it('kills again what comes up while it kills', async () => {
    const { sent, left, exit, ending } = session({ left: ['a'] });
    exit();
    ending.hasten({ force: true });
    const run = ending.run();
    await vi.advanceTimersByTimeAsync(1);
    left.clear();
    left.add('bb');
    await vi.advanceTimersByTimeAsync(50);
    left.clear();
    await vi.advanceTimersByTimeAsync(100);
    await run;
    expect(sent).toContain('SIGKILL bb');
  });

  it('names in the end what cannot be killed', async () => {
    const { exit, ending } = session({ left: ['stuck'] });
    exit();
    ending.hasten({ force: true });
    const run = expect(ending.run()).rejects.toMatchObject({
      code: 'PTY_ERROR',
      message: expect.stringContaining('5 (stuck)'),
      details: { pids: ['5'] },
    });
    await vi.advanceTimersByTimeAsync(11_000);
    await run;
  });

  it('names a leader whose exit is never reported', async () => {
    const { ending } = session();
    ending.hasten({ force: true });
    const run = expect(ending.run()).rejects.toMatchObject({
      code: 'PTY_ERROR',
      message: expect.stringContaining('100'),
    });
    await vi.advanceTimersByTimeAsync(11_000);
    await run;
  });
});
