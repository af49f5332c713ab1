import { asVtrError, errorTable, type VtrError } from '#model';
import type { Context } from '../context.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { mapAtMost } from './map-at-most.ts';
import type { SelectedSession, Selection } from './selection.ts';

/** How many calls are made at the same time. */
const maxCalls = 16;

interface Failure {
  readonly session: SelectedSession;
  readonly error: VtrError;
}

/**
 * Acts on each selected session. A failure does not stop the others. Prints the names of the sessions,
 * or nothing for a single one that the user named.
 *
 * @param done the name of the list of sessions in JSON
 * @returns the exit status: that of the first failure
 * @throws VtrError of `act` for a single session
 */
export async function actOnEach(
  context: Context,
  flags: { readonly json: boolean },
  { sessions, isOne }: Selection,
  done: string,
  act: (session: SelectedSession) => Promise<unknown>,
): Promise<number | undefined> {
  const asJson = await wantsJson(context, flags);
  const failures: Failure[] = [];
  const succeeded = new Set<SelectedSession>();
  const actOn = async (session: SelectedSession) => {
    try {
      await act(session);
      succeeded.add(session);
    } catch (thrown) {
      const error = asVtrError(thrown);
      if (isOne && !asJson) throw thrown;
      // A session of a glob was removed by another client.
      const isGone = typeof session.ref !== 'string' && error.code === 'SESSION_NOT_FOUND';
      if (!isGone) failures.push({ session, error });
    }
  };
  await mapAtMost(sessions, maxCalls, actOn);
  const named = sessions.filter((each) => succeeded.has(each));
  if (asJson) printJson(context, resultJson(done, named, failures));
  else if (!isOne) for (const { name } of named) context.out(`${name}\n`);
  for (const { error } of failures) context.say(error.message);
  if (sessions.length === 0) context.say('no sessions match');
  const [first] = failures;
  return first && errorTable[first.error.code].exit;
}

const resultJson = (
  done: string,
  sessions: readonly SelectedSession[],
  failures: readonly Failure[],
) => ({
  [done]: sessions.map(idJson),
  failed: failures.map(({ session, error: { code, message } }) => ({
    ...idJson(session),
    code,
    message,
  })),
});

const idJson = ({ coordinatorName: coordinator, name }: SelectedSession) => ({ coordinator, name });
