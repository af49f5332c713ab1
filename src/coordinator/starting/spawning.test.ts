import { describe, expect, it } from 'vitest';
import { VtrError } from '#model';
import type { Session } from '#session';
import { type Deferred, deferred } from '../../../test/support/deferred.ts';
import { type FakeSession, fakeSession } from '../../../test/support/session/fake-session.ts';
import { Registry } from '../registry.ts';
import { spawnSession } from './spawning.ts';

/** A factory that makes sessions when the test allows it. */
class SlowFactory {
  readonly sessions: FakeSession[] = [];
  readonly requests: { name: string; id: string; ready: Deferred<VtrError | null> }[] = [];

  async spawn(_request: object, identity: { name: string; id: string }): Promise<Session> {
    const ready = deferred<VtrError | null>();
    this.requests.push({ ...identity, ready });
    const failure = await ready.promise;
    if (failure !== null) throw failure;
    const fake = fakeSession(identity);
    this.sessions.push(fake);
    return fake.session;
  }

  /** Lets all pending requests succeed, or fail. */
  finish(failure: VtrError | null = null): void {
    for (const { ready } of this.requests) ready.resolve(failure);
  }
}

function begin(maxSessions = 100) {
  const registry = new Registry();
  const factory = new SlowFactory();
  const spawn = (name?: string) =>
    spawnSession(name === undefined ? {} : { name }, registry, factory, maxSessions);
  return { registry, factory, spawn };
}

const code = (text: string) => expect.objectContaining({ code: text });

describe('spawnSession', () => {
  it('adds the session under its name, with a new id', async () => {
    const { registry, factory, spawn } = begin();
    const spawned = [spawn('one'), spawn('two'), spawn()];
    factory.finish();
    const sessions = await Promise.all(spawned);
    expect(registry.list()).toEqual(sessions);
    expect(sessions.map(({ name }) => name)).toEqual(['one', 'two', expect.any(String)]);
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(3);
  });

  it('gives a name to one of two concurrent requests', async () => {
    const { factory, spawn } = begin();
    const first = spawn('build');
    await expect(spawn('build')).rejects.toThrow(code('SESSION_ALREADY_EXISTS'));
    factory.finish();
    expect((await first).name).toBe('build');
    expect(factory.requests).toHaveLength(1);
  });

  it('frees the name if the session cannot be made, and names it in the error', async () => {
    const { registry, factory, spawn } = begin();
    const refused = expect(spawn('build')).rejects.toMatchObject({
      code: 'PROGRAM_NOT_FOUND',
      message: 'session build: no such program',
    });
    factory.finish(new VtrError('PROGRAM_NOT_FOUND', 'no such program'));
    await refused;
    expect(registry.reserved).toBe(0);
    const again = spawn('build');
    factory.finish();
    await again;
  });

  it('never reuses an id', async () => {
    const { registry, factory, spawn } = begin();
    for (let count = 0; count < 2; count++) {
      const spawned = spawn('build');
      factory.finish();
      registry.remove(await spawned);
    }
    const [first, second] = factory.requests;
    expect(first?.id).not.toBe(second?.id);
  });

  it.each(['', 'a b', 'a/b', '..', '.', 'a\n', 'a\0', 'ä', 'x'.repeat(65)])(
    'refuses the name %j',
    async (name) => {
      const { factory, spawn } = begin();
      await expect(spawn(name)).rejects.toThrow(code('INVALID_NAME'));
      expect(factory.requests).toEqual([]);
    },
  );

  it.each(['a', '...', '-', '_.-0Z', 'x'.repeat(64)])('accepts the name %j', async (name) => {
    const { factory, spawn } = begin();
    const spawned = spawn(name);
    factory.finish();
    expect((await spawned).name).toBe(name);
  });

  it('counts sessions that are being made', async () => {
    const { factory, spawn } = begin(2);
    const spawned = [spawn('one'), spawn('two')];
    await expect(spawn('three')).rejects.toMatchObject({
      code: 'MAX_SESSIONS',
      message: expect.stringMatching(
        /^session three: 2 sessions are running, and the limit is 2; end one/,
      ),
    });
    factory.finish();
    await Promise.all(spawned);
    await expect(spawn('three')).rejects.toMatchObject({
      code: 'MAX_SESSIONS',
      message: expect.stringMatching(
        /2 sessions are running, and the limit is 2; end one, e\.g\. one, two, or/,
      ),
      details: { maxSessions: 2, sessions: ['one', 'two'] },
    });
  });

  it('does not count exited sessions, nor those that could not be made', async () => {
    const { factory, spawn } = begin(1);
    const first = spawn('one');
    factory.finish();
    await first;
    factory.sessions[0]?.pty.announceExit({ code: 0, signal: null });
    const second = spawn('two');
    factory.finish(new VtrError('SPAWN_FAILED', 'no'));
    await expect(second).rejects.toThrow(code('SPAWN_FAILED'));
    const third = spawn('three');
    factory.finish();
    await third;
  });
});
