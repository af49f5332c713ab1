import { describe, expect, it } from 'vitest';
import type { Coordinator, SubscriptionEvent } from '#model';
import { vtrHandlers } from './handlers/handlers.ts';
import { ServedJsonConnection } from './json-connection.ts';
import { SharedLimits } from './limits/served-connection.ts';

/** A connection to a coordinator of which only some methods are called. */
function connected(coordinator: Partial<Coordinator>): ServedJsonConnection {
  const closing = new AbortController().signal;
  const options = { maxSnapshots: 1, daemon: null, web: null, tmux: null, closing };
  const handlers = vtrHandlers(coordinator as Coordinator, options);
  return new ServedJsonConnection(handlers, new SharedLimits().connection());
}

const output = (text: string): SubscriptionEvent => ({
  type: 'output',
  revision: 1,
  atMs: 0,
  offset: 7,
  bytes: Buffer.from(text),
});

describe('ServedJsonConnection', () => {
  it('accepts calls in their order, streams among them', async () => {
    const texts: string[] = [];
    const connection = connected({
      sendText: async (_session, text) => {
        texts.push(text);
        return { mark: 'm' };
      },
      subscribe: async () => {
        texts.push('subscribe');
        return Object.assign((async function* () {})(), { dispose: () => {} });
      },
    });
    const first = connection.unary('SendText', { name: 'a', text: 'x'.repeat(100_000) });
    const stream = connection.stream('Subscribe', { name: 'a', includeEvents: true });
    const ended = stream.next();
    const last = connection.unary('SendText', { name: 'a', text: 'last' });
    expect(await last).toEqual({ mark: 'm' });
    expect([await first, (await ended).done]).toEqual([{ mark: 'm' }, true]);
    expect(texts.map((each) => each.slice(0, 9))).toEqual(['xxxxxxxxx', 'subscribe', 'last']);
  });

  it('carries out no call that it read with its end', async () => {
    const texts: string[] = [];
    const connection = connected({
      sendText: async (_session, text) => {
        texts.push(text);
        return { mark: 'm' };
      },
    });
    const calls = ['a', 'b'].map((text) => connection.unary('SendText', { name: 'one', text }));
    // In the next turn, as a message that follows in another read.
    setImmediate(() => connection.close());
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(texts).toEqual([]);
  });

  it('gives the bytes of a message apart, and ends a call that waits', async () => {
    let isDisposed = false;
    const forever = new Promise<void>(() => {});
    const connection = connected({
      subscribe: async () => {
        let end = () => {};
        const events = (async function* () {
          yield output('höhe');
          await Promise.race([
            forever,
            new Promise<void>((resolve) => {
              end = resolve;
            }),
          ]);
        })();
        return Object.assign(events, {
          dispose: () => {
            isDisposed = true;
            end();
          },
        });
      },
    });
    const stream = connection.stream('Subscribe', { name: 'a', includeEvents: true });
    const { value } = await stream.next();
    expect(value).toEqual({
      json: { output: { offset: '7' }, revision: '1', at: '1970-01-01T00:00:00Z' },
      bytes: Buffer.from('höhe'),
    });
    const waiting = stream.next().catch((error) => error.code);
    await stream.return?.();
    expect([await waiting, isDisposed]).toEqual(['CANCELLED', true]);
  });

  it.each([
    ['unary', 'Nonsense', {}],
    ['unary', 'Subscribe', {}],
    ['unary', 'Info', { name: 7 }],
    ['stream', 'Info', {}],
    ['stream', 'Publish', {}],
  ] as const)('refuses what is no %s call: %s %j', async (kind, method, request) => {
    const connection = connected({});
    const call = async () =>
      kind === 'unary'
        ? connection.unary(method, request)
        : connection.stream(method, request).next();
    await expect(call()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
