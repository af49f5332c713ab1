import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Ending } from './ending.ts';
import type { ProcessEntry } from './process-table.ts';
import type { SessionProcesses } from './session-processes.ts';

/** A session whose remaining processes the test sets. Records the signals sent. */
function session(options: { foreground?: number | null; left?: string[] } = {}) {
  const signals: string[] = [];
  const left = new Set(options.left ?? []);
  let reportExit = (): void => {};
  let exited = false;
  const entries = (): ProcessEntry[] =>
    [...left].map((name) => ({ name, pid: name.length, startedAt: 1 }) as ProcessEntry);
  const processes = {
    foregroundGroup: async () => options.foreground ?? null,
    signalForegroundGroup: async (signal: string) => signals.push(`${signal} foreground`) > 0,
    signalLeaderGroup: async (signal: string) => signals.push(`${signal} leader`) > 0,
    signal: async ({ name }: ProcessEntry, signal: string) => signals.push(`${signal} ${name}`) > 0,
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
  return { sent: signals, left, exit, ending: new Ending(processes, leader) };
}

describe('Ending', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('sends HUP, CONT and TERM to the foreground group and the leader’s group', async () => {
    const { sent, exit, ending } = session({ foreground: 110 });
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

  it('signals a group that is both only once', async () => {
    const { sent, exit, ending } = session({ foreground: 100 });
    const run = ending.run();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual(['SIGHUP leader', 'SIGCONT leader', 'SIGTERM leader']);
    exit();
    await run;
  });

  it('repeats HUP while the leader lives, but not TERM', async () => {
    const { sent, exit, ending } = session();
    const run = ending.run();
    await vi.advanceTimersByTimeAsync(160);
    expect(sent.filter((each) => each === 'SIGTERM leader')).toHaveLength(1);
    expect(sent.filter((each) => each === 'SIGHUP leader')).toHaveLength(3);
    exit();
    await run;
  });

  it('requests each process left behind to end once, and kills it after the grace', async () => {
    const { sent, left, exit, ending } = session({ left: ['a'] });
    exit();
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

  it('kills without a request when forced', async () => {
    const { sent, left, exit, ending } = session({ left: ['leader'] });
    ending.force();
    const run = ending.run();
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual(['SIGKILL leader']);
    left.clear();
    exit();
    await vi.advanceTimersByTimeAsync(10);
    await run;
  });

  it('kills at once when forced within the grace', async () => {
    const { sent, left, exit, ending } = session({ left: ['a'] });
    exit();
    const run = ending.run();
    await vi.advanceTimersByTimeAsync(900);
    expect(sent).not.toContain('SIGKILL a');
    ending.force();
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toContain('SIGKILL a');
    left.clear();
    await vi.advanceTimersByTimeAsync(1_000);
    await run;
  });

  it('kills processes that start while it kills', async () => {
    const { sent, left, exit, ending } = session({ left: ['a'] });
    exit();
    ending.force();
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

  it('fails with the names of processes that survive KILL', async () => {
    const { exit, ending } = session({ left: ['stuck'] });
    exit();
    ending.force();
    const run = expect(ending.run()).rejects.toMatchObject({
      code: 'PTY_ERROR',
      message: expect.stringContaining('5 (stuck)'),
      details: { pids: ['5'] },
    });
    await vi.advanceTimersByTimeAsync(11_000);
    await run;
  });

  it('fails with the pid of a leader whose exit is never reported', async () => {
    const { ending } = session();
    ending.force();
    const run = expect(ending.run()).rejects.toMatchObject({
      code: 'PTY_ERROR',
      message: expect.stringContaining('100'),
    });
    await vi.advanceTimersByTimeAsync(11_000);
    await run;
  });
});
