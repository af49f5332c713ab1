import { asVtrError, errorTable, type VtrError } from '#model';
import type { Context } from '../context.ts';
import { tellError } from '../output/messages.ts';
import { printJson, wantsJson } from '../output/printing.ts';
import type { SelectedSession, Selection } from './selection.ts';

/**
 * How many calls are made at the same time: many, because the PTY host looks at all processes once for all
 * removals that wait for it, and fewer than fit into the queue of a socket (511 connections).
 */
export const maxCalls = 128;

interface Failure {
  /** Absent for a name or glob that matches no session. */
  readonly coordinator?: string;
  readonly name: string;
  readonly error: VtrError;
}

/**
 * Acts on each selected session. A failure does not stop the others. Prints the names of the sessions,
 * or nothing for a single one that the user named.
 *
 * @param done the name of the list of sessions in JSON
 * @param factsOf what JSON tells of a session on which `act` has acted, apart from its name
 * @returns the exit status: that of the first failure
 * @throws VtrError of `act` for a single session
 */
export async function actOnEach(
  context: Context,
  flags: { readonly json: boolean },
  { sessions, unmatched, isOne }: Selection,
  done: string,
  act: (session: SelectedSession) => Promise<unknown>,
  factsOf: (session: SelectedSession) => object = () => ({}),
): Promise<number | undefined> {
  const asJson = await wantsJson(context, flags);
  // In the order of the sessions, whichever call ends first.
  const results = await mapAtMost(sessions, maxCalls, async (session) => {
    try {
      await act(session);
      return null;
    } catch (thrown) {
      if (isOne && !asJson) throw thrown;
      return asVtrError(thrown);
    }
  });
  const acted = sessions.filter((_, index) => results[index] === null);
  const failures: Failure[] = unmatched.map(({ pattern: name, error }) => ({ name, error }));
  for (const [index, session] of sessions.entries()) {
    const error = results[index] ?? null;
    if (error !== null && !isGone(session, error)) failures.push({ ...idOf(session), error });
  }
  const entries = acted.map((session) => ({ ...idOf(session), ...factsOf(session) }));
  if (asJson) printJson(context, resultJson(done, entries, failures));
  else if (!isOne) for (const each of acted) context.out(`${addressIn(acted, each)}\n`);
  for (const { error } of failures) tellError(context, error);
  if (sessions.length === 0 && failures.length === 0) context.say('no sessions match');
  const [first] = failures;
  return first && errorTable[first.error.code].exit;
}

/** Returns the name of a session, with its coordinator if several have acted. */
const addressIn = (all: readonly SelectedSession[], { coordinatorName, name }: SelectedSession) =>
  all.some((each) => each.coordinatorName !== coordinatorName)
    ? `${coordinatorName}:${name}`
    : name;

/** Returns whether a session of a glob was removed by another client since it was listed. */
const isGone = ({ ref }: SelectedSession, { code }: VtrError): boolean =>
  typeof ref !== 'string' && code === 'SESSION_NOT_FOUND';

const resultJson = (done: string, sessions: readonly object[], failures: readonly Failure[]) => ({
  [done]: sessions,
  failed: failures.map(({ coordinator = null, name, error: { code, message } }) => ({
    coordinator,
    name,
    code,
    message,
  })),
});

const idOf = ({ coordinatorName: coordinator, name }: SelectedSession) => ({ coordinator, name });

/**
 * Calls `call` for every item, at most `atOnce` at a time, and returns the results in the order of
 * the items. Each call opens a connection, and a socket's queue of waiting connections is limited.
 */
export async function mapAtMost<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  call: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const work = async () => {
    for (const [index, item] of rest) results[index] = await call(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
