import type { Socket } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import { machineMs } from '#base';
import type { Stuck } from '#model';

/** A call without an answer for this time makes its client check the coordinator, in ms. */
export const suspicionMs = 300;
/** A coordinator that answers nothing at all for this time does not respond, in ms. */
export const silenceMs = 2_000;
/** The most times longer if more processes than processors want to run. */
const maxOverload = 10;
/** Within which time a coordinator answers a call that waits for nothing, in ms; it is given up then. */
export const answeredMs = 30_000;
/** How much later than the last moment of its start the answer to a call may come, in ms. */
const answerMs = 200;

/**
 * Returns after which silence a coordinator is given up, in ms: 2 s, or more on a machine that is overloaded.
 * Where ten processes share a processor, each gets a tenth of its time. This is the most time for a process
 * that could answer, or about which nothing is known; see {@link IsStuck}.
 */
export const silenceLimitMs = (): number => silenceMs * overload();

/** Returns how many times longer a process of this machine takes because others want to run: 1 to 10. */
export const overload = (load = loadavg()[0] ?? 0, processors = availableParallelism()): number =>
  Math.min(maxOverload, Math.max(1, load / processors));

/** The load of a machine changes slowly, and a person's key must cost little. */
const keptForMs = 1_000;
let state = { withinMs: 0, untilMs: Number.NEGATIVE_INFINITY };

/**
 * Returns within which time a coordinator must begin a call that is made now, in ms. Afterwards its client
 * gives it up, and the coordinator does not carry it out any more.
 */
export function startWithinMs(): number {
  const now = machineMs();
  if (now > state.untilMs) {
    state = { withinMs: suspicionMs + silenceLimitMs(), untilMs: now + keptForMs };
  }
  return state.withinMs;
}

/**
 * Within which time a coordinator at an address must begin a call, in ms. Its connection may have to be made
 * first. Whether it responds is checked by `vtr connect` there.
 */
export const farStartMs = 60_000;

/** Returns when a client gives up a call to a coordinator that does not respond, in ms after its start. */
export const givenUpAfterMs = (withinMs: number): number => withinMs + answerMs;

const silentProcess: Readonly<Record<Stuck['process'], string>> = {
  stopped: 'is suspended',
  waiting: 'hangs',
  working: 'is at work',
};

/** The text for a coordinator that accepts connections and answers nothing. @param how null: not known */
export const silentText = (place: string, how: Stuck | null): string => {
  const what = how === null ? 'is suspended, at work, or hangs' : silentProcess[how.process];
  const work = how?.work === undefined ? '' : ` (${how.work})`;
  return `${place} does not respond: its process ${what}${work}`;
};

/**
 * Tells why the process that listens can answer nothing; null if it can: it may be slow, because the machine is
 * overloaded, and gets more time.
 *
 * @param connection one that was not answered for 2 s
 * @param isOver whether the answer is not needed any more
 */
export type IsStuck = (connection: Socket, isOver: () => boolean) => Promise<Stuck | null>;
