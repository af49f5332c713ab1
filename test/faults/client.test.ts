import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Coordinator } from '#model';
import { connect } from '#wire/service';
import { JsonCoordinator } from '#wire/service/short';
import { failEveryCall, type Operation } from '../support/faults/every-call.ts';
import { CuttingProxy } from '../support/service/cutting-proxy.ts';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';
import { tree } from '../support/tree.ts';

const root = tree({}, afterAll);
let served: ServedCoordinator;
let proxy: CuttingProxy;

beforeEach(async () => {
  served = await serveCoordinator();
  proxy = await CuttingProxy.open(served.socket);
  await served.local.spawn({ name: 'one', program: 'cat' });
});
afterEach(async () => {
  await proxy.close();
  await served.end();
});

const recover = async () => true;
const echo = (line: string) => ({ wait: { match: [line], timeoutMs: 120_000 } });

type Client = Pick<Coordinator, 'sendText' | 'list'>;

/** Calls, loses its connection, and calls again. */
async function calls(client: Client): Promise<unknown> {
  const first = await client.sendText('one', 'first\r', echo('first'));
  proxy.cutAll();
  const second = await client.sendText('one', 'second\r', echo('second'));
  proxy.cutAll();
  const sessions = await client.list();
  return [first.wait?.outcome, second.wait?.outcome, sessions.map(({ state }) => state)];
}

const operations: readonly Operation[] = [
  {
    name: 'a short client calls again after its connection broke',
    codes: ['UNAVAILABLE'],
    act: () => calls(new JsonCoordinator(proxy.socket, { recover })),
  },
  {
    name: 'a framed client connects again after its connection broke',
    codes: ['UNAVAILABLE'],
    async act() {
      const client = await connect({ socket: proxy.socket, recover });
      try {
        return await calls(client);
      } finally {
        await client.close();
      }
    },
  },
];

/** A wait whose time was over while the process was suspended. */
const isReported = (result: unknown, reason: string) =>
  reason === '' && JSON.stringify(result).includes('"timed_out"');

describe('a client, of which every system call fails', () => {
  const all = operations.map((each) => [each.name, each] as const);
  const timeout = 1_800_000;
  const failed = new Set<string>();
  test.each(all)('%s', { timeout }, async (_, operation) => {
    const { wrong, calls } = await failEveryCall({ ...operation, isReported }, root, failed);
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(0);
  });
});
