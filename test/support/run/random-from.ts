/** Returns pseudo-random whole numbers from 0 and below a bound. */
export type Random = (below: number) => number;

/** Returns the same numbers for the same seed, so that a failure can be repeated. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % below;
  };
}
