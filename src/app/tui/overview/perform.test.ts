import { expect, it } from 'vitest';
import { defined } from '#base';
import type { Coordinator, SessionInfo, SpawnRequest } from '#model';
import type { OverviewModel } from './model.ts';
import { perform } from './perform.ts';

/** Returns what is asked of a coordinator when a shell is started, with sessions of these names at two links. */
async function spawned(cwd: string | null, link: number, name?: string): Promise<SpawnRequest> {
  const requests: SpawnRequest[] = [];
  const coordinator = {
    spawn: async (request: SpawnRequest) => {
      requests.push(request);
      return { name: 'made' } as SessionInfo;
    },
  } as unknown as Coordinator;
  const entries = new Map(
    [
      ['src', 0],
      ['src-2', 0],
      ['src', 1],
    ].map(([each, at]) => [`${at}${each}`, { link: at, info: { name: each } }]),
  );
  await perform(
    {
      model: () => ({ entries }) as unknown as OverviewModel,
      person: 'ann',
      coordinator: () => coordinator,
      started: async () => coordinator,
      tell: () => {},
    },
    { type: 'spawn', link, cwd, ...defined({ name }) },
  );
  return requests[0] ?? {};
}

it.each([
  ['/home/me/src', 0, undefined, { cwd: '/home/me/src', name: 'src-3' }],
  ['/home/me/src', 1, undefined, { cwd: '/home/me/src', name: 'src-2' }],
  ['/', 0, undefined, { cwd: '/', name: 'shell' }],
  ['/home/me/src', 0, 'api', { cwd: '/home/me/src', name: 'api' }],
  // Only the coordinator knows its directory.
  [null, 1, undefined, {}],
])('a shell in %s, at link %i, with the name %s', async (cwd, link, name, request) => {
  expect(await spawned(cwd, link, name)).toEqual(request);
});
