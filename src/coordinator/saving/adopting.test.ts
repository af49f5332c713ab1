import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ignored } from '#base';
import type { SessionInfo } from '#model';
import { FakePtyHost } from '../../../test/support/pty/fake-pty-host.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { KeptChanges } from '../../../test/support/session/kept-changes.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { LocalCoordinator } from '../local-coordinator.ts';
import type { LostSession, SessionStore } from './session-save.ts';

type Action =
  | { readonly spawn: string | null; readonly keepExitedMs?: number; readonly idleMs?: number }
  | { readonly of: number; readonly do: 'rename'; readonly name: string }
  | { readonly of: number; readonly do: 'label'; readonly value: string }
  | { readonly of: number; readonly do: 'output'; readonly text: string }
  | { readonly of: number; readonly do: 'exit' | 'remove' | 'use' }
  | { readonly passMs: number }
  | 'restart';

const name = fc.constantFrom('a', 'b', 'c', 'd');
const of = fc.nat(3);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record(
    {
      spawn: fc.option(name),
      keepExitedMs: fc.constantFrom(1000, 5000),
      idleMs: fc.constantFrom(3000, 8000),
    },
    { requiredKeys: ['spawn'] },
  ),
  fc.record({ of, do: fc.constant('rename' as const), name }),
  fc.record({ of, do: fc.constant('label' as const), value: fc.constantFrom('x', 'y') }),
  fc.record({
    of,
    do: fc.constant('output' as const),
    text: fc.constantFrom('a\r\n', '\x1b]0;title\x07'),
  }),
  fc.record({ of, do: fc.constantFrom('exit' as const, 'remove' as const, 'use' as const) }),
  fc.record({ passMs: fc.constantFrom(100, 1000, 3000) }),
  { weight: 2, arbitrary: fc.constant('restart' as const) },
);

/** Lets all promises settle that do not wait for time. */
const settled = (clock: VirtualClock) =>
  Array.from({ length: 20 }).reduce<Promise<void>>(async (before) => {
    await before;
    clock.settleIo();
    await new Promise((resolve) => setImmediate(resolve));
  }, Promise.resolve());

/** A coordinator of programs that outlive it. */
class Restartable {
  readonly clock = new VirtualClock();
  readonly faults: unknown[] = [];
  host = new FakePtyHost();
  coordinator = this.#begin();

  #begin(): LocalCoordinator {
    return new LocalCoordinator({
      ptyHost: this.host,
      clock: this.clock,
      maxKeptExited: 2,
      onFault: (error) => this.faults.push(error),
    });
  }

  /** Another coordinator adopts the sessions, while this one does nothing more. */
  async restart(): Promise<void> {
    this.host = new FakePtyHost(this.host);
    this.coordinator = this.#begin();
    await this.coordinator.adopt();
  }

  async list(): Promise<readonly SessionInfo[]> {
    await settled(this.clock);
    const list = await this.coordinator.list();
    return list.map(({ restored: _, ...info }) => info);
  }

  async perform(action: Exclude<Action, 'restart'>): Promise<void> {
    const { coordinator, clock } = this;
    if ('passMs' in action) clock.advance(action.passMs);
    else if ('spawn' in action) await ignored(this.#spawn(action), 'the action may be impossible');
    else {
      const session = (await coordinator.list())[action.of];
      if (session !== undefined)
        await ignored(this.#change(session, action), 'the action may be impossible');
    }
  }

  async #spawn({ spawn, ...lifetime }: Extract<Action, { spawn: unknown }>): Promise<void> {
    const named = spawn === null ? {} : { name: spawn };
    await this.coordinator.spawn({ program: '/bin/fake', lifetime, ...named });
  }

  async #change(session: SessionInfo, action: Extract<Action, { of: number }>): Promise<void> {
    const { coordinator } = this;
    if (action.do === 'rename') await coordinator.rename(session, action.name);
    else if (action.do === 'label') await coordinator.setLabels(session, { l: action.value });
    else if (action.do === 'remove') await coordinator.remove(session);
    else if (action.do === 'use') await coordinator.screen(session);
    else if (action.do === 'output') this.host.pty(session.id).output(action.text);
    else this.host.pty(session.id).announceExit({ code: 3, signal: null });
  }
}

describe('a coordinator that adopts sessions', () => {
  it('has the same sessions at the same times as one that was never restarted', async () => {
    const property = fc.asyncProperty(
      fc.array(action, { minLength: 5, maxLength: 25, size: 'max' }),
      async (actions) => {
        const one = new Restartable();
        const other = new Restartable();
        for (const each of actions) {
          if (each === 'restart') await other.restart();
          else for (const coordinator of [one, other]) await coordinator.perform(each);
          const lists = [await one.list(), await other.list()].map((list) =>
            // Random, but in pairs.
            list.map(({ id: _, name, ...info }) => ({ ...info, name: name.replace(/_.*/, '') })),
          );
          expect(lists[1]).toEqual(lists[0]);
        }
        expect(other.faults).toEqual([]);
      },
    );
    await fc.assert(property, runs(40));
  });

  it.each([
    ['exactly', true],
    ['partly', false],
  ] as const)('lists lost sessions, and restores them %s when used', async (restored, isWhole) => {
    const changes = new KeptChanges();
    const loaded: string[] = [];
    const exited: string[] = [];
    const clock = new VirtualClock();
    const store = (lost: readonly LostSession[]): SessionStore => ({
      state: { state: 'disk' },
      save: (_id, change) => changes.apply(change),
      exited: (id) => void exited.push(id),
      onGone: () => {},
      remove: () => {},
      lost: async () => ({ sessions: lost }),
    });
    const host = new FakePtyHost();
    const before = new LocalCoordinator({ ptyHost: host, clock, store: store([]) });
    const { id, ...session } = await before.spawn({ name: 'one', program: '/bin/fake' });
    host.pty(id).output('last words');
    clock.advance(1000);
    await before.close();
    const { facts } = changes;
    const load = () => {
      loaded.push(id);
      return changes;
    };
    const lost = { id, facts, endedBy: 'host_lost' as const, savedAtMs: clock.wallMs() };
    const ptyHost = new FakePtyHost();
    const coordinator = new LocalCoordinator({
      ptyHost,
      clock,
      store: store([{ ...lost, isWhole, load }]),
    });
    await coordinator.adopt();
    await settled(clock);
    const [listed] = await coordinator.list();
    const ended = { state: 'exited', endedBy: { reason: 'host_lost' } };
    expect(listed).toMatchObject({ name: 'one', pid: session.pid, ...ended });
    expect([loaded, exited]).toEqual([[], [id]]);
    expect(JSON.parse(Buffer.from(changes.facts).toString())).toMatchObject({
      endedBy: { reason: 'host_lost' },
      exitStatus: { signal: 'SIGHUP' },
      ...(isWhole ? {} : { restored }),
    });
    if (!isWhole) expect(listed).toMatchObject({ restored });
    expect((await coordinator.screen('one')).text[0]).toBe('last words');
    expect(loaded).toEqual([id]);
    expect(await coordinator.info('one')).toMatchObject({ restored, ...ended });
    await coordinator.close();
  });

  /** Leaves sessions of one name: one that has exited, and two that run. */
  async function sameNames(clock: VirtualClock) {
    const host = new FakePtyHost();
    const sessions: SessionInfo[] = [];
    for (let count = 0; count < 3; count++) {
      const coordinator = new LocalCoordinator({ ptyHost: host, clock });
      sessions.push(await coordinator.spawn({ name: 'one', program: '/bin/fake' }));
      if (count === 0) host.pty(sessions[0]?.id ?? '').announceExit({ code: 3, signal: null });
    }
    return { host, ids: sessions.map(({ id }) => id) };
  }

  it('gives sessions of one name different names', async () => {
    const clock = new VirtualClock();
    const { host, ids } = await sameNames(clock);
    const next = new LocalCoordinator({ ptyHost: new FakePtyHost(host), clock });
    await next.adopt();
    await settled(clock);
    const named = async (name: string) => (await next.info(name)).id;
    const [exited, older, newer] = ids;
    expect(await Promise.all(['one', 'one-2', 'one-3'].map(named))).toEqual([older, newer, exited]);
    await next.remove('one');
    await expect(next.info('one')).rejects.toMatchObject({
      details: { renamedTo: expect.stringMatching(/^one-[23]$/) },
    });
    expect((await next.info('one-3')).exitStatus?.code).toBe(3);
  });

  it('adopts sessions that are found later, under names that are free', async () => {
    const clock = new VirtualClock();
    const { host, ids } = await sameNames(clock);
    const late = new FakePtyHost(host);
    const ptyHost = new FakePtyHost();
    const coordinator = new LocalCoordinator({ ptyHost, clock });
    await coordinator.adopt();
    const own = await coordinator.spawn({ name: 'one', program: '/bin/fake' });
    ptyHost.adopt = () => late.adopt();
    await coordinator.adopt();
    await settled(clock);
    const list = await coordinator.list();
    expect(list.map(({ name }) => name).sort()).toEqual(['one', 'one-2', 'one-3', 'one-4']);
    expect((await coordinator.info('one')).id).toBe(own.id);
    expect(list.filter(({ id }) => ids.includes(id))).toHaveLength(3);
  });

  it('restores only what is used, until it is told that all can be', async () => {
    const clock = new VirtualClock();
    const { host, ids } = await sameNames(clock);
    const restored = new Set<string>();
    const store: SessionStore = {
      state: { state: 'disk' },
      save: (id) => restored.add(id),
      exited: () => {},
      onGone: () => {},
      remove: () => {},
      lost: async () => ({ sessions: [] }),
    };
    const next = new LocalCoordinator({ ptyHost: new FakePtyHost(host), clock, store });
    let go = () => {};
    await next.adopt(new Promise<void>((resolve) => (go = resolve)));
    await settled(clock);
    const [, used = ''] = ids;
    await next.screen({ id: used, name: 'one' });
    await settled(clock);
    expect([...restored]).toEqual([used]);
    go();
    await settled(clock);
    expect([...restored].sort()).toEqual([...ids].sort());
  });

  it('saves restored sessions a second later, so that the first list does not wait for it', async () => {
    const clock = new VirtualClock();
    const { host, ids } = await sameNames(clock);
    const stored: [string, number | undefined][] = [];
    const store: SessionStore = {
      state: { state: 'disk' },
      save: (id, _change, afterMs) => stored.push([id, afterMs]),
      exited: () => {},
      onGone: () => {},
      remove: () => {},
      lost: async () => ({ sessions: [] }),
    };
    const next = new LocalCoordinator({ ptyHost: new FakePtyHost(host), clock, store });
    await next.adopt();
    await settled(clock);
    expect(await next.list()).toHaveLength(3);
    expect(stored.map(([id]) => id).sort()).toEqual([...ids].sort());
    expect(new Set(stored.map(([, afterMs]) => afterMs))).toEqual(new Set([1_000]));
    clock.advance(1_000);
    await settled(clock);
    expect(stored.length).toBeGreaterThan(3);
  });

  it('saves at once what no saved state covers: the disk gets it after 50 ms', async () => {
    const clock = new VirtualClock();
    const { host, ids } = await sameNames(clock);
    const [, printing = ''] = ids;
    host.pty(printing).output('line\r\n'.repeat(100));
    const changes = new Map(ids.map((id) => [id, new KeptChanges()]));
    const delays = new Map<string, number | undefined>();
    const store: SessionStore = {
      state: { state: 'disk' },
      save: (id, change, afterMs) => {
        if (!delays.has(id)) delays.set(id, afterMs);
        changes.get(id)?.apply(change);
      },
      exited: () => {},
      onGone: () => {},
      remove: () => {},
      lost: async () => ({ sessions: [] }),
    };
    const next = new LocalCoordinator({ ptyHost: new FakePtyHost(host), clock, store });
    await next.adopt();
    for (let turn = 0; turn < 10; turn++) {
      await settled(clock);
      clock.advance(5);
    }
    expect(changes.get(printing)?.state?.offset).toBe(600);
    expect(changes.get(printing)?.segments.at(-1)?.to).toBeGreaterThan(50);
    expect(ids.map((id) => delays.get(id))).toEqual([1_000, 50, 1_000]);
  });

  it('saves how and when sessions end that are stopped with their coordinator', async () => {
    const changes = new KeptChanges();
    const clock = new VirtualClock();
    const store: SessionStore = {
      state: { state: 'disk' },
      save: (_id, change) => changes.apply(change),
      exited: () => {},
      onGone: () => {},
      remove: () => {},
      lost: async () => ({ sessions: [] }),
    };
    class SlowHost extends FakePtyHost {
      override async close(): Promise<void> {
        clock.advance(5000);
        const pty = this.pty('one');
        pty.output('last words');
        pty.exitedAtMs = clock.wallMs();
        pty.announceExit({ code: null, signal: 'SIGKILL' });
      }
    }
    const coordinator = new LocalCoordinator({ ptyHost: new SlowHost(), clock, store });
    await coordinator.spawn({ name: 'one', program: '/bin/fake' });
    await coordinator.close();
    const { facts, state } = changes;
    expect(JSON.parse(Buffer.from(facts).toString())).toMatchObject({
      exitStatus: { code: null, signal: 'SIGKILL' },
      exitedAtMs: clock.wallMs(),
      endedBy: { reason: 'stopped' },
    });
    expect(state?.offset).toBe('last words'.length);
    expect(clock.pending).toBe(0);
  });
});
