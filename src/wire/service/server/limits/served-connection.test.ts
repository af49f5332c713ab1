import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { type Lane, Turns } from './served-connection.ts';

/** Uses the processor for at least this time, in ms. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** Makes calls that work, after some steps without I/O, and records which ran. */
function callAll(
  lane: Lane,
  names: readonly string[],
  ms: number,
  ran: string[],
): Promise<unknown> {
  const call = async (name: string) => {
    const turn = lane.turn();
    if (turn !== null) await turn;
    for (let step = 0; step < 10; step++) await null;
    ran.push(name);
    work(ms);
  };
  return Promise.all(names.map(call));
}

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('Turns', () => {
  it('keep the order of a connection, and alternate between connections', async () => {
    const turns = new Turns();
    const ran: string[] = [];
    const first = callAll(turns.lane(), numbered('a', 100), 0, ran);
    const second = callAll(turns.lane(), numbered('b', 3), 0, ran);
    await Promise.all([first, second]);
    expect(ran.filter((name) => name.startsWith('a'))).toEqual(numbered('a', 100));
    expect(ran.slice(0, 7)).toEqual(['a0', 'a1', 'b0', 'a2', 'b1', 'a3', 'b2']);
  });

  it('let others run after some ms, however many calls wait', async () => {
    const turns = new Turns();
    const ran: string[] = [];
    const calls = callAll(turns.lane(), numbered('a', 20), 3, ran);
    // After the first two, which take 6 ms, or fewer where the processor is taken from them.
    await new Promise(setImmediate);
    expect(ran.length).toBeLessThanOrEqual(2);
    // A new connection is not behind the rest.
    await callAll(turns.lane(), ['b'], 0, ran);
    expect(ran.indexOf('b')).toBeLessThan(6);
    await calls;
    expect(ran).toHaveLength(21);
  });

  it('let a call that comes alone run at once', async () => {
    const turns = new Turns();
    for (let round = 0; round < 3; round++) {
      expect(turns.lane().turn()).toBeNull();
      await new Promise(setImmediate);
      await new Promise(setImmediate);
    }
  });
});
