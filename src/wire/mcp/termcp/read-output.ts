import { type Coordinator, type SessionInfo, startMark } from '#model';
import type { Caller } from '../caller.ts';
import type { Call } from '../tool.ts';
import type { Place } from './termcp-session.ts';

/** After so much silence, in ms, the program is looked at: for the first time, and at most. */
const pauses = { firstMs: 100, lastMs: 1000 };

/**
 * Resolves when there is output that was not read and the program has no more of it for now: it reads
 * its terminal, or has exited. A pause alone says nothing, for whatever works pauses too; it is enough
 * where the system does not tell who reads.
 */
export async function outputComes(
  { coordinator, session }: Place,
  timeoutMs: number,
  caller: Caller,
  { signal }: Call,
): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  const since = caller.places.of(session.id).readMark ?? startMark;
  const wait = { signal, tail: { maxLines: 0 } };
  const anything = { raw: true, match: ['(?s).'], since };
  let come = await coordinator.wait(session, { ...wait, ...anything, timeoutMs });
  for (let quietMs = pauses.firstMs; ; quietMs = Math.min(2 * quietMs, pauses.lastMs)) {
    const restMs = endMs - performance.now();
    if (come.outcome === 'timed_out' || come.outcome === 'exited' || restMs <= 0) return;
    come = await coordinator.wait(session, { ...wait, quietMs, timeoutMs: restMs });
    if (come.outcome === 'idle' && !(await works(coordinator, session))) return;
  }
}

async function works(coordinator: Coordinator, session: SessionInfo): Promise<boolean> {
  const { state, evidence } = await coordinator.activity(session);
  return state !== 'exited' && evidence.readingTerminal === false;
}
