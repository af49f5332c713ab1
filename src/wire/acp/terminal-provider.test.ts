import { expect, it } from 'vitest';
import { type Coordinator, type SpawnRequest, VtrError } from '#model';
import { deferred } from '../../../test/support/deferred.ts';
import { TerminalProvider } from './terminal-provider.ts';

/** A coordinator with programs that run until they are ended. */
function coordinatorWith(spawned: (request: SpawnRequest) => Promise<void>) {
  const ended = new Map<string, ReturnType<typeof deferred<void>>>();
  const running = new Set<string>();
  let leases = 0;
  const coordinator: Pick<
    Coordinator,
    'openLease' | 'spawn' | 'subscribe' | 'end' | 'info' | 'remove'
  > = {
    openLease: async () => ({ id: `lease-${++leases}`, close: async () => {} }),
    spawn: async (request) => {
      await spawned(request);
      const name = request.name ?? '';
      ended.set(name, deferred());
      running.add(name);
      return { id: name, name } as Awaited<ReturnType<Coordinator['spawn']>>;
    },
    subscribe: async (session) => exitOf(ended.get(nameOf(session))?.promise) as never,
    end: async (session) => {
      running.delete(nameOf(session));
      ended.get(nameOf(session))?.resolve();
      return {} as never;
    },
    info: async () => ({ endedBy: null }) as never,
    remove: async () => ({ code: 0, signal: null }),
  };
  return { coordinator: coordinator as Coordinator, running };
}

const nameOf = (session: string | { readonly name: string }): string =>
  typeof session === 'string' ? session : session.name;

async function* exitOf(ended: Promise<void> | undefined) {
  yield { type: 'snapshot', offset: 0 };
  await ended;
  yield { type: 'exit', status: { code: null, signal: 'SIGHUP' } };
}

const { signal } = new AbortController();
const create = (provider: TerminalProvider) =>
  provider.answer('terminal/create', { sessionId: 'one', command: 'sleep' }, signal);

it('a program that starts while its conversation ends is ended', async () => {
  const [started, request] = [deferred<void>(), deferred<void>()];
  const { coordinator, running } = coordinatorWith(() => {
    request.resolve();
    return started.promise;
  });
  const provider = new TerminalProvider(coordinator);
  const created = create(provider);
  await request.promise;
  await provider.releaseConversation('one');
  started.resolve();
  await expect(created).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(running.size).toBe(0);
});

it('a lease that was lost with a connection is opened again, once', async () => {
  const leases: unknown[] = [];
  const lost = ['lease-1'];
  const { coordinator, running } = coordinatorWith(async ({ lease }) => {
    leases.push(lease);
    if (lost.includes(String(lease))) throw new VtrError('LEASE_CLOSED', 'the lease is closed');
  });
  const provider = new TerminalProvider(coordinator);
  await create(provider);
  expect(running.size).toBe(1);
  expect(leases).toEqual(['lease-1', 'lease-2']);
  lost.push('lease-2', 'lease-3');
  await expect(create(provider)).rejects.toMatchObject({ code: 'LEASE_CLOSED' });
  expect(leases.slice(2)).toEqual(['lease-2', 'lease-3']);
  await provider.close();
  expect(running.size).toBe(0);
});
