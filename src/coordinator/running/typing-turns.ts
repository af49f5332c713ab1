import { type Clock, deferred } from '#base';
import { type RunRequest, VtrError } from '#model';
import type { Session } from '#session';

/** How long one call waits for the line of another to begin, in ms. */
const turnMs = 1_000;

/** The turns at a session's prompts. */
interface Turns {
  /** Resolved when the last call in the queue has found its prompt, or has given up. */
  queue: Promise<void>;
  /** Resolved when the line of the last turn has begun; null if it has. */
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
 * Waits for a prompt at which no other call types its line. The calls of a session get their turns in the order in
 * which they came: two can wait for the same prompt, which only the first of them may use.
 *
 * @param find finds a prompt at which nothing has been typed; fails if the time is over
 * @param leftMs how long the call may still take
 * @throws VtrError as `find`; CANCELLED
 */
export async function typingTurn<Prompt>(
  session: Session,
  request: Pick<RunRequest, 'signal'>,
  clock: Clock,
  find: () => Promise<Prompt>,
  leftMs: () => number,
): Promise<TypingTurn<Prompt>> {
  const turns = turnsOfSessions.get(session) ?? { queue: Promise.resolve(), current: null };
  turnsOfSessions.set(session, turns);
  const { queue } = turns;
  const { signal } = request;
  const place = deferred();
  // A call that gives up does not let the later ones overtake the earlier ones.
  turns.queue = queue.then(() => place.promise);
  try {
    await endOf(queue, clock, leftMs(), signal);
    checkOpen(signal);
    if (leftMs() <= 0) throw new VtrError('NOT_AT_PROMPT', tooLate);
    const prompt = await ownPrompt(session, turns, request, clock, find, leftMs);
    return { prompt, end: begun(turns) };
  } finally {
    place.resolve();
  }
}

const tooLate =
  'other runs came first, and the timeout expired before a prompt was free; nothing was typed; try again later';

function checkOpen(signal: RunRequest['signal']): void {
  if (signal?.aborted) throw new VtrError('CANCELLED', 'the call was cancelled; nothing was typed');
}

/** Finds a prompt, and waits until the line of the turn before has begun or ended. */
async function ownPrompt<Prompt>(
  { view }: Session,
  turns: Turns,
  { signal }: Pick<RunRequest, 'signal'>,
  clock: Clock,
  find: () => Promise<Prompt>,
  leftMs: () => number,
): Promise<Prompt> {
  if (turns.current !== null) await endOf(turns.current, clock, Math.min(turnMs, leftMs()), signal);
  for (let before = -1; ; ) {
    const { current } = turns;
    const prompt = await find().catch(async (error) => {
      // Text that the other call types, such as the query of the exit status, is not a prompt.
      if (current !== null) await endOf(current, clock, Math.min(turnMs, leftMs()), signal);
      if (turns.current === current || leftMs() <= 0) throw error;
      return null;
    });
    checkOpen(signal);
    if (prompt === null) continue;
    // A prompt that stays although the turn goes on is that of a program which its line has started.
    if (turns.current === null || before === view.outputEnd) return prompt;
    before = view.outputEnd;
    await endOf(turns.current, clock, Math.min(turnMs, leftMs()), signal);
  }
}

function begun(turns: Turns): () => void {
  const { promise, resolve } = deferred();
  turns.current = promise;
  return () => {
    if (turns.current === promise) turns.current = null;
    resolve();
  };
}

/** Waits for the end of a turn or of a queue, for a limited time. */
function endOf(
  turn: Promise<void>,
  clock: Clock,
  limitMs: number,
  signal: RunRequest['signal'],
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      timer.dispose();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.schedule(Math.max(0, limitMs), done);
    if (signal?.aborted) done();
    else signal?.addEventListener('abort', done);
    void turn.then(done);
  });
}
