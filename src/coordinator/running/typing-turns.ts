import type { Clock } from '#base';
import { asVtrError, type RunRequest, VtrError } from '#model';
import type { Session } from '#session';

/** How long one call waits for the line of another to begin, in ms. */
const turnMs = 1_000;

/** The turns at a session's prompts. */
interface Turns {
  /** How many have begun. */
  count: number;
  /** Resolved when the line of the last one has begun; null if it has. */
  current: Promise<void> | null;
}

const turnsOfSessions = new WeakMap<Session, Turns>();

/** A call's turn to type a line at a prompt. */
export interface TypingTurn<Prompt> {
  readonly prompt: Prompt;
  /** Ends the turn. The prompt at which the line was typed must not be found any more. */
  end(): void;
}

/**
 * Waits for a prompt at which no other call types its line. Two calls can wait for the same prompt, which only
 * the first of them may use.
 *
 * @param find finds a prompt at which nothing has been typed
 * @param leftMs how long the call may still take
 * @throws VtrError as `find`; CANCELLED
 */
export async function typingTurn<Prompt>(
  session: Session,
  { signal }: Pick<RunRequest, 'signal'>,
  clock: Clock,
  find: () => Promise<Prompt>,
  leftMs: () => number,
): Promise<TypingTurn<Prompt>> {
  const turns = turnsOfSessions.get(session) ?? { count: 0, current: null };
  turnsOfSessions.set(session, turns);
  for (;;) {
    if (turns.current !== null) await endOf(turns.current, clock, leftMs(), signal);
    const { count } = turns;
    try {
      const prompt = await find();
      if (signal?.aborted)
        throw new VtrError('CANCELLED', 'the call was cancelled; nothing was typed');
      if (turns.count === count) return { prompt, end: begun(turns) };
    } catch (error) {
      const isOther = turns.count === count || asVtrError(error).code !== 'NOT_AT_PROMPT';
      if (isOther || leftMs() <= 0) throw error;
    }
  }
}

function begun(turns: Turns): () => void {
  let end = () => {};
  const current = new Promise<void>((resolve) => {
    end = resolve;
  });
  turns.count++;
  turns.current = current;
  return () => {
    if (turns.current === current) turns.current = null;
    end();
  };
}

/** Waits for the end of a turn, for a limited time. */
function endOf(
  turn: Promise<void>,
  clock: Clock,
  leftMs: number,
  signal: RunRequest['signal'],
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      timer.dispose();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.schedule(Math.max(0, Math.min(turnMs, leftMs)), done);
    if (signal?.aborted) done();
    else signal?.addEventListener('abort', done);
    void turn.then(done);
  });
}
