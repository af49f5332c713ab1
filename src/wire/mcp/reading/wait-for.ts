import { setTimeout } from 'node:timers/promises';
import { defined, globPattern, quoted, sanitize } from '#base';
import {
  type ActivityState,
  type AgentState,
  type Coordinator,
  clampWaitMs,
  type DriverState,
  defaultWaitMs,
  firstWait,
  type ReadMark,
  type SessionInfo,
  type SessionRef,
  VtrError,
  type WaitOutcome,
  type WaitRequest,
  type WaitResult,
} from '#model';
import type { Caller } from '../caller.ts';
import { menuAnswer, stateOf } from '../fields.ts';
import { type McpOptions, promptPatternOf } from '../options.ts';
import type { Call } from '../tool.ts';
import { asks, noteTold, type ReadMarks } from './read-marks.ts';
import { readAfterWait, type ViewArguments } from './read-view.ts';
import { PlainLines } from './terminal-text.ts';

/** The result of a wait, and its arguments. */
export type Waited = Omit<WaitResult, 'outcome'> & {
  /** Why it ended; `at_prompt`: the shell is at its prompt, and no command ran; of an agent with its state. */
  readonly outcome: WaitOutcome | 'at_prompt' | `agent_${AgentState}`;
  readonly args: WaitArguments;
  /** From where the wait has read; null if no read was requested. */
  readonly readSince: ReadMark | null;
};

/**
 * Waits if the arguments request it. Text is matched from this client's last input or wait on. Without text, a
 * command counts until the client was told its end.
 */
export async function waitFor(
  coordinator: Coordinator,
  { name, id }: SessionInfo,
  args: WaitArguments & ViewArguments,
  caller: Caller,
  call: Call,
): Promise<Waited | null> {
  const request = waitRequestOf(args, caller.options, call);
  if (request === null) return null;
  const marks = caller.marks.of(id);
  const own = { ...reading(request, args, marks), ...afterTurn(marks) };
  const wait = coordinator.wait({ name, id }, waitingSince(own, markFor(own, marks)));
  const result = asWaited(await reporting(call, wait), args, own);
  noteWaited(marks, result);
  return result;
}

/** Returns the position from which a wait of this client matches. */
const markFor = ({ match, stop }: WaitRequest, marks: ReadMarks): ReadMark | null =>
  (match ?? stop) ? marks.waitMark : marks.commandMark;

/** A wait for an agent is for the end of the turn that this client has begun. */
const afterTurn = ({ turn }: ReadMarks): Pick<WaitRequest, 'agentTurn'> =>
  turn === null ? {} : { agentTurn: turn };

/** Must be called when the end of a wait is reported to the client. */
function noteWaited(marks: ReadMarks, result: Waited): void {
  noteTold(marks, result);
  marks.waitMark = result.mark;
  if (result.command !== undefined) marks.commandMark = result.mark;
  marks.commandMark ??= result.mark;
  // The client is told what the person left.
  marks.epoch = result.driver?.epoch ?? marks.epoch;
}

/** Has the wait read what the view shows, which saves a round trip. */
export function reading(request: WaitRequest, args: ViewArguments, marks: ReadMarks): WaitRequest {
  const read = readAfterWait(args, marks);
  return read === null ? request : { ...request, read };
}

export const asWaited = (
  result: WaitResult,
  args: WaitArguments,
  { read }: WaitRequest,
): Waited => ({
  ...result,
  outcome: outcomeOf(result, args),
  args,
  readSince: read?.since ?? null,
});

function outcomeOf({ outcome, agent }: WaitResult, args: WaitArguments): Waited['outcome'] {
  if (outcome === 'agent' && agent !== undefined) return `agent_${agent.state}`;
  return outcome === 'prompt' && !args.wait_for_prompt ? 'at_prompt' : outcome;
}

/** The wait arguments of a call. */
export interface WaitArguments {
  readonly timeout_ms?: number | undefined;
  readonly wait_idle_ms?: number | undefined;
  readonly wait_for_prompt?: boolean | undefined;
  readonly wait_for?: readonly string[] | undefined;
  readonly stop_on?: readonly string[] | undefined;
  readonly wait_for_exit?: boolean | undefined;
  readonly wait_for_command?: boolean | undefined;
  readonly wait_for_driver?: boolean | undefined;
  /** States of an agent with commas between them. */
  readonly agent?: string | undefined;
}

const agentStates: readonly AgentState[] = ['idle', 'asks', 'busy', 'unknown'];

/** @throws VtrError INVALID_ARGUMENT */
function statesIn(words: string): AgentState[] {
  return words.split(',').map((word) => {
    const state = agentStates.find((each) => each === word.trim());
    if (state !== undefined) return state;
    throw new VtrError('INVALID_ARGUMENT', `agent is one or more of ${agentStates.join(',')}`);
  });
}

/** Interval of progress notifications, in ms. */
const reportMs = 5_000;

/**
 * Returns the requested wait; null if none. A timeout without a condition waits for the exit. A
 * condition without a timeout, or with the documented default of 0, has the default timeout: the
 * flows of the specification rely on it.
 */
export function waitRequestOf(
  args: WaitArguments,
  options: McpOptions,
  { signal }: Call,
): WaitRequest | null {
  const { wait_idle_ms: quietMs = 0, wait_for: match = [], stop_on: stop = [] } = args;
  const conditions = {
    ...(match.length === 0 ? {} : { match }),
    ...(stop.length === 0 ? {} : { stop }),
    ...defined({
      finished: args.wait_for_command || undefined,
      asks: args.wait_for_command || undefined,
      driver: args.wait_for_driver || undefined,
      agent: args.agent === undefined ? undefined : statesIn(args.agent),
    }),
    ...(args.wait_for_prompt ? { prompt: true, asks: true, ...promptPatternOf(options) } : {}),
    ...(quietMs > 0 ? { quietMs } : {}),
  };
  const waits = args.wait_for_exit === true || Object.keys(conditions).length > 0;
  const waitMs = args.timeout_ms || (waits ? defaultWaitMs : 0);
  if (waitMs === 0) return null;
  const timeoutMs = Math.min(clampWaitMs(waitMs, defaultWaitMs), options.maxWaitMs);
  return { ...conditions, timeoutMs, signal, tail: { maxLines: 0 } };
}

/** Whether a wait has a timeout and no condition. */
export const waitsForExitOnly = ({
  timeout_ms = 0,
  wait_idle_ms = 0,
  wait_for = [],
  stop_on = [],
  agent,
  ...toggles
}: WaitArguments): boolean =>
  timeout_ms > 0 &&
  wait_idle_ms === 0 &&
  wait_for.length + stop_on.length === 0 &&
  agent === undefined &&
  !toggles.wait_for_prompt &&
  !toggles.wait_for_exit &&
  !toggles.wait_for_command &&
  !toggles.wait_for_driver;

/** Adds the position from which text and commands are matched. The coordinator chooses it for prompts and silence. */
export function waitingSince(request: WaitRequest, mark: ReadMark | null): WaitRequest {
  const counts = request.match ?? request.stop ?? request.finished;
  return mark === null || counts === undefined ? request : { ...request, since: mark };
}

/** Sends progress notifications during a wait. */
export async function reporting<T>(call: Call, wait: Promise<T>): Promise<T> {
  const timer = setInterval(() => call.report('waiting'), reportMs);
  try {
    return await wait;
  } finally {
    clearInterval(timer);
  }
}

/** Returns what the last person to drive left: the note, and from where to read. */
function drivenAnswer(driver: DriverState | undefined) {
  if (driver?.mark === undefined) return {};
  const note = driver.note === undefined ? '' : `${sanitize(driver.note).text}; `;
  return { note: `${note}${drivenSince(driver.mark)}` };
}

/** How to read what a person did. */
export const drivenSince = (mark: ReadMark): string =>
  `what was done: terminal__read {"view":"new","since":"${mark}"}`;

/** Returns the rows whose changes an idle wait ignored. */
const ignoredAnswer = (rows: readonly string[] = [], lines: PlainLines) =>
  rows.length === 0 ? {} : { ignored_rows: rows.map((row) => lines.plain(row)) };

/** Returns what a program asks. */
export function questionAnswer(
  { question, questionId, menu }: Pick<WaitResult, 'question' | 'questionId' | 'menu'>,
  lines: PlainLines,
) {
  return {
    ...(question === undefined ? {} : { question: lines.plain(question) }),
    ...defined({ menu: menu && menuAnswer(menu, lines, questionId) }),
  };
}

/** Returns the result fields of a wait. Matched text and questions are sanitized: they are program output. */
export function waitAnswer(result: Waited, lines = new PlainLines()) {
  const { outcome, match, inEcho, redrawn, matchedBefore, command, timeoutMs, driver } = result;
  return {
    outcome,
    ...defined({
      matched: match && lines.plain(match.matched),
      in_echo: inEcho || undefined,
      redrawn: redrawn || undefined,
      matched_before: matchedBefore && lines.plain(matchedBefore.text),
      unsearched_lines: result.lostLines,
      guess: result.guess || undefined,
    }),
    ...questionAnswer(result, lines),
    ...(command === undefined ? {} : { command_exit_code: command.exitCode }),
    ...defined({ unverified: command?.unverified || undefined }),
    ...drivenAnswer(driver),
    ...(result.noAgent ? { note: 'no agent is known; set the label agent' } : {}),
    ...ignoredAnswer(result.masked, lines),
    ...(outcome === 'at_prompt' ? { note: 'there is no command to wait for' } : {}),
    timeout_ms: Math.round(timeoutMs),
  };
}

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
 * @throws VtrError INVALID_ARGUMENT for no names; SESSION_NOT_FOUND; SESSION_NOT_RUNNING if the client knows of each program that it has ended
 */
export async function waitForFirst(
  coordinator: Coordinator,
  names: readonly string[],
  args: WaitArguments,
  caller: Caller,
  call: Call,
): Promise<FirstWait> {
  if (names.length === 0) {
    const message = 'session_id is an empty list; give names or globs, "*" for all sessions';
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  const infos = matching(await coordinator.list(), names);
  const sessions = infos.filter(({ id, exitStatus }) => {
    return exitStatus === null || !caller.marks.of(id).knowsEnd;
  });
  if (sessions.length === 0) {
    const message = 'the programs of all these sessions have ended, as you were told';
    throw new VtrError('SESSION_NOT_RUNNING', message);
  }
  const others = new AbortController();
  const signal = AbortSignal.any([call.signal, others.signal]);
  const request = waitRequestOf({ ...args, wait_for_exit: true }, caller.options, {
    ...call,
    signal,
  });
  if (request === null) throw new VtrError('INTERNAL_ERROR', 'there is nothing to wait for');
  const waits = sessions.map(async ({ name, id }): Promise<FirstWait> => {
    const marks = caller.marks.of(id);
    const result = await untilNews(coordinator, { name, id }, request, args, marks);
    return { session: name, result };
  });
  try {
    const isMet = ({ result }: FirstWait) => result.outcome !== 'timed_out';
    const first = await reporting(
      call,
      firstWait(waits, isMet, () => {}),
    );
    const { id } = sessions.find(({ name }) => name === first.session) ?? {};
    if (!isMet(first)) return { ...first, states: await statesOf(coordinator, infos) };
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
    throw new VtrError('SESSION_NOT_FOUND', `no session ${quoted(name)}`);
  });
  return all.filter(({ name }) => patterns.some((pattern) => pattern.test(name)));
}

/** Waits until a session has news, or for the timeout. */
async function untilNews(
  coordinator: Coordinator,
  session: SessionRef,
  request: WaitRequest,
  args: WaitArguments,
  marks: ReadMarks,
): Promise<Waited> {
  const { timeoutMs = 0, signal } = request;
  const endMs = performance.now() + timeoutMs;
  const left = () => Math.max(0, endMs - performance.now());
  const since = markFor(request, marks);
  for (;;) {
    const agentFields = {
      ...afterTurn(marks),
      ...defined({ agentAfterMs: marks.agentMs ?? undefined }),
    };
    const own = waitingSince({ ...request, ...agentFields, timeoutMs: left() }, since);
    const result = { ...asWaited(await coordinator.wait(session, own), args, own), timeoutMs };
    const isAsked = asks(result.outcome) && result.agent === undefined;
    const isKnown = isAsked && (result.question ?? '') === marks.question;
    if (result.outcome !== 'at_prompt' && !isKnown) return result;
    // There can be news only behind more output.
    const more = { match: ['\\S'], since: result.mark, tail: { maxLines: 0 } };
    await coordinator.wait(session, { ...more, timeoutMs: left(), ...defined({ signal }) });
    await setTimeout(Math.min(pauseMs, left()));
    if (left() === 0) return { ...result, outcome: 'timed_out' };
  }
}
