import { describe, expect, it } from 'vitest';
import { Emitter } from '#base';
import { VtrError } from '#model';
import { ptyRequest } from '../../../test/support/pty/pty-request.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { createPtyHost } from '../in-process-pty-host.ts';
import type { AdoptedPty } from '../port.ts';
import { type LosablePtyHost, PtyHosts } from './pty-hosts.ts';

/** A host that can be lost, and the calls that it got. */
class TestHost {
  readonly calls: string[] = [];
  readonly deprived = new Emitter<'superseded' | 'disconnected'>();
  readonly host: LosablePtyHost & { isOpen: boolean; sessions: number };

  constructor(version = '2', programs: readonly string[] = []) {
    const call = async (name: string) => void this.calls.push(name);
    this.host = Object.assign(createPtyHost(), {
      pid: Number(version),
      version,
      isOpen: true,
      sessions: programs.length,
      adopt: async () => programs as unknown as readonly AdoptedPty[],
      detach: () => call('detach'),
      close: () => call('close'),
      onDeprived: (listener: (how: 'superseded' | 'disconnected') => void) =>
        this.deprived.on(listener),
    });
  }
}

function hosts(current: TestHost | null = null, old: readonly TestHost[] = []) {
  const started: TestHost[] = [];
  let failure: VtrError | null = null;
  const clock = new VirtualClock();
  const all = new PtyHosts({
    current: current?.host ?? null,
    old: old.map(({ host }) => host),
    start: async () => {
      if (failure !== null) throw failure;
      const next = new TestHost();
      started.push(next);
      return next.host;
    },
    clock,
    onFault: () => {},
  });
  const fail = (error: VtrError | null) => {
    failure = error;
  };
  return { all, started, fail, clock };
}

const spawnTrue = async (all: PtyHosts) => (await all.spawn(ptyRequest('true'))).end();
const unavailable = { code: 'UNAVAILABLE' };

describe('the PTY hosts of a daemon', () => {
  it('are started if none runs, and again if it was lost', async () => {
    const { all, started } = hosts();
    await Promise.all([spawnTrue(all), spawnTrue(all)]);
    expect(started).toHaveLength(1);
    for (const { host } of started) host.isOpen = false;
    await Promise.all([spawnTrue(all), spawnTrue(all)]);
    expect(started).toHaveLength(2);
  });

  it('are started by the next spawn if a start failed', async () => {
    const lost = new TestHost();
    lost.host.isOpen = false;
    const { all, started, fail } = hosts(lost);
    fail(new VtrError('UNAVAILABLE', 'no'));
    await expect(all.spawn(ptyRequest('true'))).rejects.toMatchObject(unavailable);
    fail(null);
    await spawnTrue(all);
    expect(started).toHaveLength(1);
  });

  it('refuse after their end', async () => {
    for (const end of ['close', 'detach'] as const) {
      const { all } = hosts();
      await all[end]();
      await expect(all.spawn(ptyRequest('true'))).rejects.toMatchObject(unavailable);
    }
  });

  it('have all their programs adopted, but new ones are in the newest', async () => {
    const [current, old] = [new TestHost('2', ['b']), new TestHost('1', ['a'])];
    const { all, started } = hosts(current, [old]);
    expect(await all.adopt()).toEqual(['a', 'b']);
    expect(all.newest).toMatchObject({ pid: 2, version: '2' });
    await spawnTrue(all);
    expect(started).toEqual([]);
  });

  it.each(['detach', 'close'] as const)('%s together', async (end) => {
    const [current, old] = [new TestHost('2'), new TestHost('1', ['a'])];
    await hosts(current, [old]).all[end]();
    expect([current.calls, old.calls]).toEqual([[end], [end]]);
  });

  it('of old versions end with their last program, and not before they are adopted', async () => {
    const old = new TestHost('1', ['a']);
    const { all, clock } = hosts(new TestHost('2'), [old]);
    old.host.sessions = 0;
    await clock.advance(10_000);
    expect(old.calls).toEqual([]);
    old.host.sessions = 1;
    await all.adopt();
    await clock.advance(10_000);
    expect(old.calls).toEqual([]);
    old.host.sessions = 0;
    await clock.advance(10_000);
    expect(old.calls).toEqual(['close']);
  });

  it('report that the programs of any of them run on without this daemon', () => {
    const [current, old] = [new TestHost('2'), new TestHost('1')];
    const { all } = hosts(current, [old]);
    const reported: string[] = [];
    all.onDeprived((how) => reported.push(how));
    old.deprived.emit('superseded');
    current.deprived.emit('disconnected');
    expect(reported).toEqual(['superseded', 'disconnected']);
  });
});
