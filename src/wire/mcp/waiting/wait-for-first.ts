import { setTimeout } from 'node:timers/promises';
import { globPattern } from '#base';
import {
  type ActivityState,
  type Coordinator,
  firstWait,
  type SessionInfo,
  type SessionRef,
  VtrError,
  type WaitRequest,
} from '#model';
import type { Caller } from '../caller.ts';
import { asks, type ReadMarks } from '../reading/read-marks.ts';
import type { Call } from '../tool.ts';
import { stateOf } from '../tools/fields.ts';
import {
  asWaited,
  markFor,
  noteWaited,
  reporting,
  type WaitArguments,
  type Waited,
  waitingSince,
  waitRequestOf,
} from './wait-for.ts';

/** The least time between two waits in a session that has no news, in ms. */
const pauseMs = 250;

/** A wait that ended in one of several sessions. */
interface FirstWait {
  readonly session: string;
  readonly result: Waited;
  /** Set if it timed out: the state of each session. */
  readonly states?: { session_id: string; state: ActivityState }[];
}

/**
 * Waits in several sessions, until there is news in one of them: a condition is met, or the program ends. What
 * this client was told before is not news: an ended program, a question to which it sent no answer; nor is a prompt
 * without a command.
 *
 * @param names names and globs of sessions
 * @returns the first news; if there is none before the timeout, a wait that timed out
 * @throws VtrError SESSION_NOT_FOUND; SESSION_NOT_RUNNING if the client knows of each program that it has ended
 */
export async function waitForFirst(
  coordinator: Coordinator,
  names: readonly string[],
  asked: WaitArguments,
  caller: Caller,
  call: Call,
): Promise<FirstWait> {
  const found = matching(await coordinator.list(), names);
  const sessions = found.filter(({ id, exitStatus }) => {
    return exitStatus === null || !caller.marks.of(id).knowsEnd;
  });
  if (sessions.length === 0) {
    const message = 'the programs of all these sessions have ended, as you were told';
    throw new VtrError('SESSION_NOT_RUNNING', message);
  }
  const others = new AbortController();
  const signal = AbortSignal.any([call.signal, others.signal]);
  const request = waitRequestOf({ ...asked, wait_for_exit: true }, caller.options, {
    ...call,
    signal,
  });
  if (request === null) throw new VtrError('INTERNAL_ERROR', 'there is nothing to wait for');
  const waits = sessions.map(async ({ name, id }): Promise<FirstWait> => {
    const marks = caller.marks.of(id);
    const result = await untilNews(coordinator, { name, id }, request, asked, marks);
    return { session: name, result };
  });
  try {
    const isMet = ({ result }: FirstWait) => result.outcome !== 'timed_out';
    const first = await reporting(
      call,
      firstWait(waits, isMet, () => {}),
    );
    const { id } = sessions.find(({ name }) => name === first.session) ?? {};
    if (!isMet(first)) return { ...first, states: await statesOf(coordinator, found) };
    if (id !== undefined) noteWaited(caller.marks.of(id), first.result);
    return first;
  } finally {
    others.abort();
  }
}

/** Returns the states of sessions; those that were removed meanwhile have none. */
async function statesOf(coordinator: Coordinator, sessions: readonly SessionInfo[]) {
  const ids = new Set(sessions.map(({ id }) => id));
  const now = await coordinator.list({ activity: true });
  return now
    .filter(({ id }) => ids.has(id))
    .map((info) => ({ session_id: info.name, state: stateOf(info) }));
}

/** @throws VtrError INVALID_ARGUMENT, SESSION_NOT_FOUND if a name or a glob matches no session */
function matching(all: readonly SessionInfo[], names: readonly string[]): readonly SessionInfo[] {
  const patterns = names.map((name) => {
    const pattern = globPattern(name);
    if (pattern === null) throw new VtrError('INVALID_ARGUMENT', `glob ${name} is not valid`);
    if (all.some((each) => pattern.test(each.name))) return pattern;
    throw new VtrError('SESSION_NOT_FOUND', `no session ${JSON.stringify(name)}`);
  });
  return all.filter(({ name }) => patterns.some((pattern) => pattern.test(name)));
}

/** Waits until a session has news, or for the timeout. */
async function untilNews(
  coordinator: Coordinator,
  session: SessionRef,
  request: WaitRequest,
  asked: WaitArguments,
  marks: ReadMarks,
): Promise<Waited> {
  const { timeoutMs = 0, signal } = request;
  const endMs = performance.now() + timeoutMs;
  const left = () => Math.max(0, endMs - performance.now());
  const since = markFor(request, marks);
  for (;;) {
    const own = waitingSince({ ...request, timeoutMs: left() }, since);
    const result = { ...asWaited(await coordinator.wait(session, own), asked), timeoutMs };
    const isKnown = asks(result.outcome) && (result.question ?? '') === marks.question;
    if (result.outcome !== 'at_prompt' && !isKnown) return result;
    // There can be news only behind more output.
    const more = { match: ['\\S'], since: result.mark, tail: { maxLines: 0 } };
    await coordinator.wait(session, { ...more, timeoutMs: left(), ...(signal && { signal }) });
    await setTimeout(Math.min(pauseMs, left()));
    if (left() === 0) return { ...result, outcome: 'timed_out' };
  }
}
