import { expect, it } from 'vitest';
import { type Coordinator, VtrError } from '#model';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { type ConnectionListener, SessionConnection } from './session-connection.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A connection to a coordinator that cannot be reached. */
function unreachable(socket: string) {
  const timers = new VirtualClock();
  const messages: string[] = [];
  let attempts = 0;
  const nothing = () => {};
  const refused = () => {
    attempts++;
    return Promise.reject(new VtrError('UNAVAILABLE', 'the network is away'));
  };
  const listener: ConnectionListener = {
    connected: nothing,
    viewing: nothing,
    sessions: nothing,
    silent: nothing,
    lost: () => messages.push('lost'),
    gone: ({ code }) => messages.push(`gone ${code}`),
  };
  const connection = new SessionConnection({
    listener,
    timers,
    session: { name: 'one', id: 'one' },
    person: 'me',
    as: 'auto',
    link: { name: 'far', socket, connect: refused, responds: async () => true },
    mirror: { load: async () => {}, follow: nothing, dispose: nothing },
    size: () => ({ cols: 80, rows: 24 }),
  });
  const pass = async (ms: number) => {
    for (const endMs = timers.nowMs() + ms; timers.nowMs() < endMs; ) {
      await settled();
      timers.advance(50);
    }
    await settled();
  };
  return { connection, timers, told: messages, pass, attempts: () => attempts };
}

it.each([
  ['/run/vtr.sock', 10_000],
  ['ssh://gpu1', 20_000],
])('a coordinator that is lost is tried again: %s for %i ms', async (socket, forMs) => {
  const { connection, timers, told, pass, attempts } = unreachable(socket);
  const keeping = connection.keep();
  await pass(forMs - 2_000);
  expect(new Set(told)).toEqual(new Set(['lost']));
  // Pauses of 100, 200, 400, 800, 1600 and 2000 ms.
  expect(attempts()).toBe(socket.startsWith('/') ? 8 : 13);
  await pass(2_000);
  await keeping;
  expect([told.at(-1), timers.pending]).toEqual(['gone UNAVAILABLE', 0]);
});

it('a person who leaves while the coordinator is lost does not wait for the next attempt', async () => {
  const { connection, told, pass, timers, attempts } = unreachable('/run/vtr.sock');
  const keeping = connection.keep();
  await pass(4_000);
  const before = attempts();
  await connection.dispose();
  await keeping;
  await settled();
  expect([attempts(), told.includes('gone UNAVAILABLE'), timers.pending]).toEqual([
    ...[before, false],
    0,
  ]);
});

it('nothing is asked of a viewing that has ended, because the session was removed', async () => {
  const calls: string[] = [];
  const viewing = {
    id: 'viewing',
    look: async () => void calls.push('look'),
    dispose: async () => void calls.push('dispose'),
    async *[Symbol.asyncIterator]() {},
  };
  const coordinator: Partial<Record<keyof Coordinator, unknown>> = {
    info: async () => ({}),
    view: async () => viewing,
    subscribe: async () => ({}),
    watchSessions: () => new Promise(() => {}),
    close: async () => {},
  };
  let follow = () => {};
  const joining = new Promise<void>((resolve) => {
    follow = resolve;
  });
  const connection = new SessionConnection({
    listener: {
      connected: () => {},
      viewing: () => {},
      sessions: () => {},
      silent: () => {},
      lost: () => {},
      gone: () => {},
    },
    timers: new VirtualClock(),
    session: { name: 'one', id: 'one' },
    person: 'me',
    as: 'auto',
    link: {
      name: 'here',
      socket: '/run/vtr.sock',
      connect: async () => coordinator as unknown as Coordinator,
      responds: async () => true,
    },
    mirror: { load: async () => {}, follow, dispose: () => {} },
    size: () => ({ cols: 80, rows: 24 }),
  });
  const keeping = connection.keep();
  await joining;
  await settled();
  connection.look(false);
  connection.look(true);
  await connection.dispose();
  await keeping;
  expect(calls).toEqual([]);
});
