import { describe, expect, it } from 'vitest';
import { savedDriving } from './drivers.ts';
import { type DrivingState, undriven } from './driving.ts';

const person = {
  kind: 'person',
  name: 'alice',
  viewer: 'v',
  sinceWallMs: 5,
  activeAtMs: 1,
  activeWallMs: 1,
  note: null,
};
const driven: DrivingState = {
  epoch: 4,
  driver: { ...person, kind: 'person', holds: false },
  asking: [{ viewer: 'w', name: 'bob', atMs: 2 }],
  present: ['v', 'w'],
  note: null,
  takeovers: [{ epoch: 4, mark: 'm' }],
  sizedBy: 'v',
  sizing: 'smallest',
  sizes: [
    { name: null, cols: 80, rows: 24 },
    { name: 'alice', cols: 120, rows: 40 },
  ],
};

describe('savedDriving', () => {
  it.each([[undriven], [driven]])('returns what was saved', (state) => {
    expect(savedDriving(JSON.parse(JSON.stringify({ ...state, later: 1 })))).toEqual(state);
  });

  it('takes a person whom an older version saved for one who holds the session', () => {
    const { holds } = savedDriving({ ...driven, driver: person })?.driver ?? {};
    expect(holds).toBe(true);
  });

  it.each([
    [null, null],
    ['text', null],
    [{ epoch: 'x' }, null],
    [{ epoch: 0 }, null],
    [{ ...driven, driver: { ...person, viewer: 1 } }, 5],
    [{ ...driven, asking: [null] }, 5],
    [{ ...driven, takeovers: [{ epoch: 1 }] }, 5],
    [{ ...driven, sizedBy: 7 }, 5],
    [{ ...driven, note: 7 }, 5],
    [{ ...driven, present: [7] }, 5],
  ])('of %j only keeps that the epoch does not go back', (saved, epoch) => {
    expect(savedDriving(saved)?.epoch ?? null).toBe(epoch);
  });
});
