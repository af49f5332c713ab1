import { expect, it } from 'vitest';
import type { Coordinator, ReadRequest } from '#model';
import { ReadPlaces } from './read-places.ts';
import { readView } from './read-view.ts';

const output = Buffer.from('\ufeff漢字 😀');

/** Reads the output up to each of these places, one after the other. */
async function readUpTo(...ends: readonly number[]): Promise<string[]> {
  let end = 0;
  const read = async (_session: string, { since }: ReadRequest) => ({
    raw: { bytes: output.subarray(Number(since) || 0, end), offset: 0, omittedBytes: 0 },
    gap: { lines: 0, bytes: 0 },
    mark: String(end),
    revision: end,
  });
  const coordinator = { read } as unknown as Coordinator;
  const place = new ReadPlaces().of('1');
  const told: string[] = [];
  for (end of ends) {
    const args = { view: 'new', format: 'raw' } as const;
    told.push((await readView(coordinator, 's', args, place)).text.content);
  }
  return told;
}

it('tells raw output whole, wherever it is cut', async () => {
  for (let cut = 0; cut <= output.length; cut++) {
    expect((await readUpTo(cut, output.length)).join(''), `${cut}`).toBe(output.toString());
  }
  expect(await readUpTo(5, 6, output.length)).toEqual(['\ufeff', '漢', '字 😀']);
});
