import { afterEach, expect, it, vi } from 'vitest';
import { VtrError } from '#model';
import { type ConnectionListener, SessionConnection } from './session-connection.ts';

afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ['/run/vtr.sock', 10_000],
  ['ssh://gpu1', 20_000],
])('a coordinator that is lost is tried again: %s for %i ms', async (socket, forMs) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const refused = () => Promise.reject(new VtrError('UNAVAILABLE', 'the network is away'));
  const link = { name: 'far', socket, connect: refused, responds: async () => true };
  const lost = new Promise<number>((resolve) => {
    const nothing = () => {};
    const listener: ConnectionListener = {
      ...{
        connected: nothing,
        viewing: nothing,
        sessions: nothing,
        silent: nothing,
        gone: nothing,
      },
      lost(untilMs) {
        void connection.dispose();
        resolve(untilMs - Date.now());
      },
    };
    const connection = new SessionConnection({
      ...{ link, listener, session: { name: 'one', id: 'one' }, person: 'me', as: 'auto' },
      mirror: { load: async () => {}, follow: nothing, dispose: nothing },
      size: () => ({ cols: 80, rows: 24 }),
    });
    void connection.keep();
  });
  expect(await lost).toBe(forMs);
});
