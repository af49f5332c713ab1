import { ignored } from '#base';
import { asVtrError, type Coordinator, firstWait, type WaitRequest, type WaitResult } from '#model';
import type { Context } from '../context.ts';
import type { Answer } from '../coordinators/addressing.ts';
import { connectionTo } from '../coordinators/known-coordinators.ts';

/** The end of a wait in one of several sessions. */
interface EndedWait {
  readonly coordinator: string;
  readonly session: string;
  readonly result: WaitResult;
}

/**
 * Waits in several sessions at once, on one connection for each coordinator, until a condition is met in one of
 * them. A session in which none can be met any more is left out, and so is a coordinator that is lost, with a
 * message.
 *
 * @param isMet whether a wait that ended has met a condition
 * @returns the first wait that met a condition; if none did, one that timed out, with the lost output of all; if none
 * timed out, one whose program exited
 * @throws VtrError if no wait ended
 */
export async function waitForAny(
  context: Context,
  answers: readonly Answer[],
  request: WaitRequest,
  isMet: (result: WaitResult) => boolean,
): Promise<EndedWait> {
  const connections: Promise<Coordinator>[] = [];
  const messages = new Set<string>();
  let isOver = false;
  const ended: WaitResult[] = [];
  const tell = (thrown: unknown) => {
    const { message } = asVtrError(thrown);
    if (!isOver && !messages.has(message)) context.say(`skipped: ${message}`);
    messages.add(message);
  };
  const waits = answers.flatMap(({ coordinator, sessions }) => {
    if (sessions.length === 0) return [];
    const connection = connectionTo(context, coordinator, { mayPrompt: answers.length === 1 });
    connections.push(connection);
    return sessions.map(async ({ name, id }): Promise<EndedWait> => {
      const result = await (await connection).wait({ name, id }, request);
      ended.push(result);
      return { coordinator: coordinator.name, session: name, result };
    });
  });
  try {
    const first = await firstWait(waits, ({ result }) => isMet(result), tell);
    const isTimeout = first.result.outcome === 'timed_out';
    return isTimeout ? { ...first, result: { ...first.result, ...lostIn(ended) } } : first;
  } finally {
    isOver = true;
    // One that is still being made must not hold up the answer.
    for (const each of connections)
      ignored(
        each.then((client) => client.close()),
        'a connection that could not be made need not be closed',
      );
  }
}

/** Returns how much output could not be searched in all sessions. */
function lostIn(results: readonly WaitResult[]): Pick<WaitResult, 'lostLines' | 'lostBytes'> {
  const lostLines = results.reduce((sum, each) => sum + (each.lostLines ?? 0), 0);
  const lostBytes = results.reduce((sum, each) => sum + (each.lostBytes ?? 0), 0);
  return { ...(lostLines > 0 && { lostLines }), ...(lostBytes > 0 && { lostBytes }) };
}
