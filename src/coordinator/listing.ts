import type { Clock, Disposable } from '#base';
import type { SessionActivity } from '#model';
import type { ProcessEntry, Session } from '#session';

/**
 * The time limit of finding the activity of a session for a list, in ms. A list of a
 * thousand sessions needs less: a session has no activity only if its system does not answer.
 */
const maxListingMs = 10_000;

/** The longest wait of a list for sessions being restored, in ms. Saved facts may be a second old. */
const maxRestoringMs = 500;

/**
 * The most sessions without a listing of the machine's processes, which takes milliseconds: of most, the
 * system tells at once which process has the terminal.
 */
const fewSessions = 4;

/** Returns the processes of the machine for queries of the activity of sessions; none for a few sessions. */
export const processesFor = async (
  sessions: number,
  list: () => Promise<readonly ProcessEntry[]>,
): Promise<readonly ProcessEntry[]> => (sessions > fewSessions ? list() : []);

/** Returns the activity of a session; null if it cannot be found, or not in time. */
export function activityInTime(
  session: Session,
  listed: readonly ProcessEntry[],
  clock: Clock,
  onFault: (error: unknown) => void,
): Promise<SessionActivity | null> {
  const found = session.listedActivity(listed).catch((error) => {
    onFault(error);
    return null;
  });
  return inTime(found, maxListingMs, clock);
}

/** Resolves when sessions are restored, or after a time. */
export async function restoredInTime(restored: Promise<unknown> | null, clock: Clock) {
  if (restored !== null) await inTime(restored, maxRestoringMs, clock);
}

/** Returns null if there is no result in time. */
export async function inTime<T>(
  result: Promise<T>,
  maxMs: number,
  clock: Clock,
): Promise<T | null> {
  let timer: Disposable | undefined;
  const late = new Promise<null>((resolve) => {
    timer = clock.schedule(maxMs, () => resolve(null));
  });
  const first = await Promise.race([result, late]);
  timer?.dispose();
  return first;
}
