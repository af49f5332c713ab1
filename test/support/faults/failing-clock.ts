import timers from 'node:timers/promises';
import { type Callable, callSite, type Functions, failureOf, replace } from './system-calls.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** For how long the process was suspended. */
const suspendedMs = 60 * 60 * 1000;

/** How far the time of day is ahead. */
let wallAheadMs = 0;
/** The time of day, if it stands still. */
let frozenMs: number | null = null;
/** How far the time since the start of the machine is ahead. It never goes back. */
let bootAheadMs = 0;

/** Sets the time of day again. */
export function resetClock(): void {
  wallAheadMs = 0;
  frozenMs = null;
}

/**
 * Replaces the clocks of Node. The time of day jumps or stands still; the other clocks jump ahead, as for a
 * process that was suspended, and timers fire at once, as if it was suspended in their time.
 */
export function failClock(): void {
  replace(Date as unknown as Functions, 'now', (original) => () => {
    const realMs = original.call(Date) as number;
    const failure = failureOf('Date.now', '', { site: callSite() });
    if (failure === 'jump back') wallAheadMs -= dayMs;
    if (failure === 'jump forward') wallAheadMs += dayMs;
    if (failure === 'stand still') frozenMs = realMs;
    return frozenMs ?? realMs + wallAheadMs;
  });
  replace(performance as unknown as Functions, 'now', (original) => () => {
    suspend('performance.now');
    return (original.call(performance) as number) + bootAheadMs;
  });
  const { bigint } = process.hrtime;
  replace(process as unknown as Functions, 'hrtime', () => () => {
    suspend('process.hrtime');
    return secondsOf(bigint.call(process.hrtime) + nanosecondsOf(bootAheadMs));
  });
  process.hrtime.bigint = () => {
    suspend('process.hrtime');
    return bigint.call(process.hrtime) + nanosecondsOf(bootAheadMs);
  };
  replace(globalThis as unknown as Functions, 'setTimeout', (original) => atOnce(original, 1));
  replace(timers as unknown as Functions, 'setTimeout', (original) => atOnce(original, 0));
}

function suspend(name: string): void {
  if (failureOf(name, '', { site: callSite() }) !== null) bootAheadMs += suspendedMs;
}

const nanosecondsOf = (ms: number): bigint => BigInt(ms) * 1_000_000n;

/** As {@link process.hrtime} returns it. */
const secondsOf = (nanoseconds: bigint): [number, number] => [
  Number(nanoseconds / 1_000_000_000n),
  Number(nanoseconds % 1_000_000_000n),
];

/** @param at the place of the time among the arguments */
function atOnce(original: Callable, at: number): Callable {
  return function setTimeout(this: unknown, ...args) {
    if (failureOf('setTimeout', '', { site: callSite() }) !== null) args[at] = 0;
    return original.apply(this, args);
  };
}
