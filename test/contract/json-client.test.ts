import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Coordinator } from '#model';
import { connect } from '#wire/service';
import { JsonCoordinator } from '#wire/service/short';
import { unaryCall } from '../../src/wire/service/short/unary-call.ts';
import { needs } from '../support/run/needs.ts';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';

describe('the short client', () => {
  let served: ServedCoordinator;
  let json: JsonCoordinator;
  let remote: Coordinator;

  beforeEach(async () => {
    served = await serveCoordinator();
    json = new JsonCoordinator(served.socket);
    remote = await connect({ socket: served.socket });
  });
  afterEach(async () => {
    await remote.close();
    await served.end();
  });

  type Caller = Pick<Coordinator, keyof JsonCoordinator & keyof Coordinator>;
  /** The answers of both clients, without `elapsedMs`, in which they differ. */
  const both = async (call: (coordinator: Caller) => Promise<object>): Promise<object[]> =>
    [await call(json), await call(remote)].map((answer) =>
      'elapsedMs' in answer ? { ...answer, elapsedMs: 0 } : answer,
    );

  needs('bash')('receives the same answers as the client in frames', async () => {
    const lifetime = { idleMs: 60_000, keepExitedMs: 500, maxRunMs: 3_600_000 };
    const limits = { memoryBytes: 2 ** 33, cpuPercent: 99.5 };
    const options = { scrollbackLines: 100, rawBytes: 100_000 };
    const { id, name } = await json.spawn({
      program: 'bash',
      env: { PS1: '$ ', HOME: '/nonexistent' },
      cwd: '/',
      lifetime,
      limits,
      ...options,
    });
    const ref = { id, name };
    const { mark } = await json.read(ref);
    expect((await json.wait(ref, { prompt: true })).outcome).toBe('prompt');
    const line = 'printf "\\033]2;title\\007\\033[31mred\\033[m 42\\n\\a"; seq 40; (exit 3)';
    expect(await json.run(ref, { line })).toMatchObject({ exitCode: 3, command: { line } });
    await json.run(ref, { line: 'true' });
    // The screen does not change from here on.
    expect((await json.wait(ref, { prompt: true })).outcome).toBe('prompt');
    const late = { since: mark, timeoutMs: 60_000, tail: { maxLines: 2, keep: 'both' } } as const;

    const calls: readonly ((coordinator: Caller) => Promise<object>)[] = [
      (c) => c.info(ref),
      (c) => c.read(ref),
      (c) => c.read(ref, { since: mark, maxLines: 4, keep: 'both', format: 'ansi' }),
      (c) => c.read(ref, { since: mark, maxTokens: 9 }),
      (c) => c.read(ref, { format: 'raw', maxBytes: 100 }),
      (c) => c.wait(ref, { match: ['never', '^(red) (\\d+)(x)?$'], ...late }),
      (c) => c.wait(ref, { match: ['\\x1b\\[31m'], raw: true, ...late }),
      (c) => c.wait(ref, { stop: ['40'], ...late }),
      (c) => c.wait(ref, { screen: ['^3'], ...late }),
      (c) => c.wait(ref, { finished: true, ...late }),
      (c) => c.wait(ref, { quietMs: 1, ignore: ['clock'] }),
      (c) => c.wait(ref, { title: 'x', bell: true, timeoutMs: 1 }),
      (c) => c.search(ref, { pattern: '3$', before: 1, after: 1, from: 5, to: 30 }),
      (c) => c.search(ref, { pattern: '4', command: 1, maxMatches: 2 }),
      (c) => c.search(ref, { pattern: '4', command: 'last' }),
      (c) => c.commands(ref),
      (c) => c.commands(ref, { last: 1 }),
      (c) => c.commandOutput(ref, { command: 1, maxLines: 3, keep: 'both' }),
      (c) => c.commandOutput(ref, { format: 'ansi' }),
      (c) => c.activity(ref),
    ];
    for (const call of calls) {
      const [byShort, byFrames] = await both(call);
      expect(byShort, String(call)).toEqual(byFrames);
    }
    expect(await json.info(ref)).toMatchObject({ lifetime, limits });
    const ran = await both((c) => c.run(ref, { line: 'false', maxLines: 1, timeoutMs: 60_000 }));
    expect(ran).toMatchObject(
      Array(2).fill({ outcome: 'finished', exitCode: 1, timeoutMs: 60_000 }),
    );
    const wait = { finished: true, timeoutMs: 60_000 };
    const results = await both((c) => c.sendText(ref, 'false\r', { wait, timeoutMs: 60_000 }));
    expect(results).toMatchObject(
      Array(2).fill({
        mark: expect.any(String),
        wait: { outcome: 'finished', command: { exitCode: 1 } },
      }),
    );
  });

  it('tells a call that the coordinator does not know from what it does not find', async () => {
    await expect(json.info('missing')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    const unknown = unaryCall(
      served.socket,
      'noSuchCall' as 'kill',
      { sessionId: 'x' },
      { timeoutMs: 60_000 },
    );
    await expect(unknown).rejects.toThrow(/has no call NoSuchCall; .*vtr serve --restart/);
  });

  it('reports why a program was ended, and ends one', async () => {
    const limited = await json.spawn({ program: 'cat', lifetime: { maxRunMs: 50 } });
    await json.wait(limited);
    const [byShort, byFrames] = await both((c) => c.info(limited));
    expect(byShort).toEqual(byFrames);
    expect(byShort).toMatchObject({ endedBy: { reason: 'run_time', limit: 50 } });
    const other = await json.spawn({ program: 'cat' });
    expect(await json.end(other, { force: true })).toEqual({ code: null, signal: 'SIGKILL' });
    expect((await json.info(other)).state).toBe('exited');
    const lease = await remote.openLease();
    const session = await json.spawn({ program: 'cat', lease: lease.id });
    await lease.close();
    expect(await json.info(session)).toMatchObject({
      state: 'exited',
      endedBy: { reason: 'lease' },
    });
  });
});
