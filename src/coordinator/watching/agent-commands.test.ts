import { describe, expect, it } from 'vitest';
import type { CommandReport } from '#model';
import { fakeSession } from '../../../test/support/session/fake-session.ts';
import { Registry } from '../registry.ts';
import { AgentCommands } from './agent-commands.ts';

const startMs = 1_000_000;

function fixture() {
  const { session, pty, clock } = fakeSession();
  const registry = new Registry();
  const counts = { told: 0, saved: 0 };
  const newCommands = () =>
    new AgentCommands({
      clock,
      registry,
      save: () => counts.saved++,
      onChange: () => counts.told++,
    });
  const commands = newCommands();
  registry.add(session);
  const take = (report: CommandReport, atMs = startMs) =>
    commands.take(session, 'claude', report, atMs);
  const list = (state: 'busy' | 'asks' | 'idle' = 'busy') =>
    commands.list(session, undefined, { state });
  const statuses = () => list().map(({ line, status }) => `${line} ${status}`);
  return { session, pty, clock, counts, commands, newCommands, take, list, statuses };
}

const ok = { outcome: 'succeeded', exitCode: 0 } as const;

describe('a command that an agent reports', () => {
  it('runs until its end, which has its status and its time', () => {
    const { take, list, clock, commands, session } = fixture();
    take({ line: 'make', cwd: '/src', call: 'a' }, clock.wallMs());
    clock.advance(300);
    expect(list()).toMatchObject([
      { number: 1, agent: 'claude', cwd: '/src', status: 'running', durationMs: 300 },
    ]);
    expect(commands.counts(session)).toEqual({ count: 1, running: 1 });
    take({ line: 'make', call: 'a', outcome: 'failed', exitCode: 2 }, clock.wallMs());
    expect(list()).toEqual([
      {
        number: 1,
        agent: 'claude',
        line: 'make',
        cwd: '/src',
        status: 'failed',
        exitCode: 2,
        startedAtMs: clock.wallMs() - 300,
        endedAtMs: clock.wallMs(),
        durationMs: 300,
        from: { offset: 0, line: 0, col: 0 },
      },
    ]);
    expect(commands.counts(session)).toEqual({ count: 1, running: 0 });
  });

  it('is that of its call; without one, the oldest of the line that has not ended', () => {
    const { take, list } = fixture();
    for (const call of ['a', 'b']) take({ line: 'x', call });
    take({ line: 'x', call: 'b', ...ok });
    for (let each = 0; each < 2; each++) take({ line: 'y' });
    take({ line: 'y', outcome: 'failed' });
    expect(list().map(({ status }) => status)).toEqual([
      ...['running', 'succeeded'],
      ...['failed', 'running'],
    ]);
  });

  it('is unknown when the turn ends first, until a late report of its end', () => {
    const { take, statuses, commands, session } = fixture();
    take({ line: 'x', call: 'a' });
    commands.agentChanged(session, { state: 'idle' });
    expect(statuses()).toEqual(['x unknown']);
    commands.agentChanged(session, { state: 'busy' });
    expect(statuses()).toEqual(['x unknown']);
    take({ line: 'x', call: 'a', ...ok });
    expect(statuses()).toEqual(['x succeeded']);
  });

  it('that was left does not take the end of the next one with its line', () => {
    const { take, list, commands, session } = fixture();
    take({ line: 'x' });
    commands.turnEnded(session);
    take({ line: 'x' });
    take({ line: 'x', ...ok });
    expect(list().map(({ status }) => status)).toEqual(['unknown', 'succeeded']);
  });

  it.each(['exit', 'no agent'])('does not run for ever: %s', (end) => {
    const { take, statuses, commands, pty, session } = fixture();
    take({ line: 'x' });
    if (end === 'exit') pty.announceExit({ code: 0, signal: null });
    else commands.agentChanged(session, null);
    expect(statuses()).toEqual(['x unknown']);
  });

  it('asks while its agent does, and then has only the time that its agent tells', () => {
    const { take, list, commands, session } = fixture();
    for (const call of ['a', 'b']) take({ line: 'x', call });
    commands.agentChanged(session, { state: 'asks' });
    expect(list('asks')[0]).toMatchObject({ status: 'asks', durationMs: null });
    expect(list('busy')[0]).toMatchObject({ status: 'running', durationMs: null });
    take({ line: 'x', call: 'a', ...ok }, startMs + 9_000);
    take({ line: 'x', call: 'b', ...ok, durationMs: 500 }, startMs + 9_000);
    expect(list()).toMatchObject([
      { durationMs: null, startedAtMs: startMs },
      { durationMs: 500, startedAtMs: startMs + 8_500 },
    ]);
  });

  it('may be told by its end alone, or before its beginning, and is one command', () => {
    const { take, list, counts } = fixture();
    take({ line: 'x', call: 'a', ...ok }, startMs + 10);
    expect(list()).toMatchObject([{ startedAtMs: null, durationMs: null, status: 'succeeded' }]);
    take({ line: 'x', call: 'a' });
    expect(list()).toMatchObject([{ startedAtMs: startMs, durationMs: 10, status: 'succeeded' }]);
    const { told } = counts;
    take({ line: 'x', call: 'a' });
    take({ line: 'x', call: 'a', outcome: 'failed' });
    expect(list()).toMatchObject([{ status: 'succeeded' }]);
    expect(counts.told).toBe(told);
  });

  it('can get its status after its end', () => {
    const { take, list } = fixture();
    take({ line: 'x', call: 'a' });
    take({ line: 'x', call: 'a', outcome: 'unknown' }, startMs + 10);
    take({ line: 'x', call: 'a', outcome: 'failed', exitCode: 1 }, startMs + 500);
    take({ line: 'x', call: 'a', ...ok }, startMs + 900);
    expect(list()).toMatchObject([{ status: 'failed', exitCode: 1, durationMs: 10 }]);
  });
});

describe('the commands of a session', () => {
  it('are the newest, within limits', () => {
    const { take, list, commands, session } = fixture();
    for (let each = 1; each <= 250; each++) take({ line: `echo ${each}`, ...ok });
    expect(list()).toHaveLength(200);
    expect(list()[0]).toMatchObject({ number: 51, line: 'echo 51' });
    expect(commands.list(session, 1, null)).toMatchObject([{ number: 250 }]);
    for (let each = 0; each < 20; each++) take({ line: 'x'.repeat(4_096), ...ok });
    expect(list()).toHaveLength(16);
    expect(commands.counts(session)?.count).toBe(270);
  });

  it('are saved at each change, and continue in another coordinator', () => {
    const { take, list, commands, newCommands, session, counts } = fixture();
    take({ line: 'x', call: 'a' });
    take({ line: 'y', ...ok });
    expect(counts.saved).toBe(2);
    const saved = JSON.parse(JSON.stringify(commands.saved(session)));
    const next = newCommands();
    next.restore(session, [...saved, null, { ...saved[0], line: 7 }, { ...saved[1], end: {} }]);
    expect(next.list(session, undefined, null)).toEqual(list());
    next.take(session, 'claude', { line: 'x', call: 'a', ...ok }, startMs);
    expect(next.list(session, undefined, null)).toMatchObject([
      { line: 'x', status: 'succeeded' },
      { line: 'y' },
    ]);
    next.restore(session, 'damaged');
    expect(next.list(session, 1, null)).toHaveLength(1);
  });
});
