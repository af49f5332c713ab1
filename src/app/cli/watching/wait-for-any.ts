import { asVtrError, type Coordinator, firstWait, type WaitRequest, type WaitResult } from '#model';
import type { Context } from '../context.ts';
import type { Answer } from '../coordinators/addressing.ts';
import { connectLasting } from '../coordinators/known-coordinators.ts';

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
 * @returns the first wait with a condition that is met; if there is none, one that ended without, rather by the
 * timeout than with its program
 * @throws VtrError if no wait ended
 */
export async function waitForAny(
  context: Context,
  answers: readonly Answer[],
  request: WaitRequest,
  isMet: (result: WaitResult) => boolean,
): Promise<EndedWait> {
  const connections: Promise<Coordinator>[] = [];
  const told = new Set<string>();
  let isOver = false;
  const tell = (thrown: unknown) => {
    const { message } = asVtrError(thrown);
    if (!isOver && !told.has(message)) context.say(`skipped: ${message}`);
    told.add(message);
  };
  const waits = answers.flatMap(({ coordinator: known, sessions }) => {
    if (sessions.length === 0) return [];
    const connection = connectLasting(context, known, answers.length === 1);
    connections.push(connection);
    return sessions.map(async ({ name, id }): Promise<EndedWait> => {
      const result = await (await connection).wait({ name, id }, request);
      return { coordinator: known.name, session: name, result };
    });
  });
  try {
    return await firstWait(waits, ({ result }) => isMet(result), tell);
  } finally {
    isOver = true;
    // One that is still being made must not hold up the answer.
    for (const each of connections) each.then((client) => client.close()).catch(() => {});
  }
}
