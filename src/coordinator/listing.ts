import type { Clock, Disposable } from '#base';
import type { SessionActivity } from '#model';
import type { ProcessEntry, Session } from '#session';

/**
 * How long a list waits for the activity of another session, in ms. A list of a thousand sessions takes longer, but
 * not because of one.
 */
const maxSilenceMs = 300;

/** The time limit of finding the activity of one session, in ms. */
const maxActivityMs = 3_000;

/** The longest wait of a list for the machine's processes, in ms. Without them each session asks for its own. */
const maxProcessesMs = 1_000;

/** The longest wait of a list for sessions being restored, in ms. Saved facts may be a second old. */
const maxRestoringMs = 500;

/**
 * The most sessions without a listing of the machine's processes, which takes milliseconds: of most, the
 * system tells at once which process has the terminal.
 */
export const fewSessions = 4;

/** Returns the processes of the machine for queries of the activity of sessions; none for a few sessions. */
export const processesFor = async (
  sessions: number,
  list: () => Promise<readonly ProcessEntry[]>,
  clock: Clock,
): Promise<readonly ProcessEntry[]> =>
  (sessions > fewSessions ? await inTime(list(), maxProcessesMs, clock) : null) ?? [];

/** What the activity of sessions is found with. */
export interface ActivityFinding {
  readonly clock: Clock;
  /** Called with the error of a query. */
  readonly onFault: (error: unknown) => void;
}

/** Returns the activity of a session, without the branch; null if it cannot be found, or not in time. */
export function activityInTime(
  session: Session,
  listed: readonly ProcessEntry[],
  { clock, onFault }: ActivityFinding,
): Promise<SessionActivity | null> {
  const activity = session.listedActivity(listed).catch((error) => {
    onFault(error);
    return null;
  });
  return inTime(activity, maxActivityMs, clock);
}

/** Resolves when sessions are restored, or after a time. */
export async function restoredInTime(restored: Promise<unknown> | null, clock: Clock) {
  if (restored !== null) await inTime(restored, maxRestoringMs, clock);
}

/**
 * Returns the results; null for those that are missing {@link maxSilenceMs} after the last one, once those who give them
 * have answered something else: a busy machine is silent, too.
 *
 * @param ask asks them something that takes as long as a result. Given up after {@link maxProcessesMs}
 */
export function untilSilence<T>(
  results: readonly Promise<T>[],
  clock: Clock,
  ask: () => Promise<unknown>,
): Promise<(T | null)[]> {
  const answers: (T | null)[] = results.map(() => null);
  if (results.length === 0) return Promise.resolve(answers);
  return new Promise((resolve, reject) => {
    let left = results.length;
    let timer: Disposable | undefined;
    const renew = () => {
      timer?.dispose();
      const silence = clock.schedule(maxSilenceMs, async () => {
        const answer = ask().catch(() => null);
        await inTime(answer, maxProcessesMs, clock);
        if (timer !== silence) return;
        // A timer fires before answers that are there.
        timer = clock.afterPendingIo(() => resolve(answers));
      });
      timer = silence;
    };
    renew();
    for (const [index, result] of results.entries()) {
      result.then((value) => {
        answers[index] = value;
        left--;
        if (left > 0) return renew();
        timer?.dispose();
        resolve(answers);
      }, reject);
    }
  });
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
