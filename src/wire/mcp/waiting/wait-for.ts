import {
  type Coordinator,
  clampWaitMs,
  defaultWaitMs,
  type ReadMark,
  type SessionInfo,
  type WaitRequest,
} from '#model';
import type { Caller } from '../caller.ts';
import { type McpOptions, promptPatternOf } from '../options.ts';
import { PlainLines } from '../reading/terminal-text.ts';
import type { Call } from '../tool.ts';
import { type Waited, waitOrInputNeeded } from './input-needed.ts';

/** Waits where it is asked for; text counts from what this client typed last. */
export async function waitFor(
  coordinator: Coordinator,
  { name, id }: SessionInfo,
  args: WaitArguments,
  caller: Caller,
  call: Call,
): Promise<Waited | null> {
  const request = waitRequestOf(args, caller.options, call);
  if (request === null) return null;
  const marks = caller.marks.of(id);
  const wait = waitOrInputNeeded(coordinator, { name, id }, waitingSince(request, marks.waitMark));
  const result = await reporting(call, wait);
  marks.waitMark = result.mark;
  return result;
}

/** What a call asks to wait for. */
export interface WaitArguments {
  readonly timeout_ms?: number | undefined;
  readonly wait_idle_ms?: number | undefined;
  readonly wait_for_prompt?: boolean | undefined;
  readonly wait_for?: readonly string[] | undefined;
  readonly stop_on?: readonly string[] | undefined;
  readonly wait_for_exit?: boolean | undefined;
  readonly wait_for_command?: boolean | undefined;
}

/** How often a client that asked for it is told that we still wait, in ms. */
const reportMs = 5_000;

/**
 * The wait that is asked for; null for none. A time-out without a condition waits for the exit. A
 * condition without a time-out, or with the documented default of 0, has one of its own: the
 * documents' flows rely on it.
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
    ...(args.wait_for_command ? { finished: true } : {}),
    ...(args.wait_for_prompt ? { prompt: true, ...promptPatternOf(options) } : {}),
    ...(quietMs > 0 ? { quietMs } : {}),
  };
  const waits = args.wait_for_exit === true || Object.keys(conditions).length > 0;
  const asked = args.timeout_ms || (waits ? defaultWaitMs : 0);
  if (asked === 0) return null;
  const timeoutMs = Math.min(clampWaitMs(asked, defaultWaitMs), options.maxWaitMs);
  return { ...conditions, timeoutMs, signal, tail: { maxLines: 0 } };
}

/** From where text counts; what a prompt and silence are counted from, the coordinator knows best. */
export function waitingSince(request: WaitRequest, mark: ReadMark | null): WaitRequest {
  const counts = request.match ?? request.stop ?? request.finished;
  return mark === null || counts === undefined ? request : { ...request, since: mark };
}

/** Tells the client now and then that the call is not lost. */
export async function reporting<T>(call: Call, wait: Promise<T>): Promise<T> {
  const timer = setInterval(() => call.report('waiting'), reportMs);
  try {
    return await wait;
  } finally {
    clearInterval(timer);
  }
}

/** What became of it; a text that matched is a program's. */
export function waitAnswer(result: Waited | null) {
  if (result === null) return {};
  const { outcome, match, timeoutMs } = result;
  return {
    outcome,
    ...(match === undefined ? {} : { matched: new PlainLines().plain(match.matched) }),
    timeout_ms: Math.round(timeoutMs),
  };
}
