import type {
  Activity,
  ActivityState,
  Coordinator,
  SessionRef,
  WaitOutcome,
  WaitRequest,
  WaitResult,
} from '#model';

/** Why a wait ended: an outcome of the coordinator, or the program needs input. */
export type Outcome = WaitOutcome | 'awaiting_input' | 'password';

export type Waited = Omit<WaitResult, 'outcome'> & {
  readonly outcome: Outcome;
  /** Whether the program that needs input shows a prompt. */
  readonly showsPrompt?: boolean;
};

/**
 * A program is checked after this much silence, in ms: `firstMs` for the first check; `laterMs` for the
 * following ones, and if the system does not report whether the program reads its terminal.
 */
const silence = { firstMs: 300, laterMs: 1000 };

/**
 * Waits. A wait for a prompt or for the end of a command also ends when the program needs input (a
 * question, a pager, a REPL), because otherwise it would time out.
 *
 * @param request without `quietMs`, unless the caller waits for silence
 * @param begin starts the first part of the wait; replaces `coordinator.wait`, to send input with it
 */
export async function waitOrInputNeeded(
  coordinator: Coordinator,
  session: SessionRef,
  request: WaitRequest,
  begin = (part: WaitRequest) => coordinator.wait(session, part),
): Promise<Waited> {
  const waitsForShell = request.prompt === true || request.finished === true;
  if (!waitsForShell || request.quietMs !== undefined) return begin(request);
  const startedMs = performance.now();
  let timeoutMs = request.timeoutMs ?? 0;
  let result = await begin({ ...request, quietMs: silence.firstMs });
  const told = { timeoutMs: result.timeoutMs };
  for (let quietMs = silence.firstMs; result.outcome === 'idle'; quietMs = silence.laterMs) {
    const activity = await coordinator.activity(session);
    const asks = inputNeeded(activity, quietMs);
    const showsPrompt = activity.evidence.promptPattern;
    if (asks !== null) return { ...result, ...told, outcome: asks, showsPrompt };
    timeoutMs = Math.max(0, (request.timeoutMs ?? 0) - (performance.now() - startedMs));
    const since = request.match || request.stop || request.finished ? { since: result.mark } : {};
    const part = { ...request, ...since, quietMs: silence.laterMs, timeoutMs };
    result = await coordinator.wait(session, part);
  }
  return { ...result, ...told };
}

/** Returns the input that a program needs after `quietMs` of silence; null if none. */
function inputNeeded({ state, evidence }: Activity, quietMs: number): Outcome | null {
  const { readingTerminal, promptPattern } = evidence;
  if (state === 'exited' || readingTerminal === false) return null;
  const asks = state === 'password' ? 'password' : 'awaiting_input';
  if (readingTerminal === true) return asks;
  // Unknown, for example for a shell at the other end of ssh.
  const isLikely = state === 'password' || (promptPattern && state !== 'full_screen');
  return isLikely && quietMs >= silence.laterMs ? asks : null;
}

/**
 * Resolves when the shell's current command needs input, or its line is incomplete. Never resolves if
 * the shell does not mark its commands. Rejects after `signal`.
 */
export async function whenInputNeeded(
  coordinator: Coordinator,
  session: SessionRef,
  signal: AbortSignal,
): Promise<Outcome> {
  for (let quietMs = silence.firstMs; ; quietMs = silence.laterMs) {
    const { outcome } = await coordinator.wait(session, { quietMs, signal });
    const activity = outcome === 'idle' ? await coordinator.activity(session) : null;
    const isAtLine = activity?.evidence.shellMark === 'command';
    const asks = isAtLine ? inputNeeded(activity, quietMs) : null;
    if (asks !== null) return asks;
    if (outcome === 'exited') return new Promise(() => {});
  }
}

export interface SessionActivity {
  readonly state: ActivityState;
  /** Also at the prompt of another program, such as a REPL. */
  readonly atPrompt: boolean;
}

/** Returns a session's activity: from the wait's result if possible, because a request costs the daemon a fork. */
export async function activityAfter(
  coordinator: Coordinator,
  session: SessionRef,
  waited: Waited | null,
): Promise<SessionActivity> {
  const { outcome, showsPrompt = false } = waited ?? {};
  if (outcome === 'prompt') return { state: 'at_prompt', atPrompt: true };
  if (outcome === 'exited') return { state: 'exited', atPrompt: false };
  if (outcome === 'password') return { state: 'password', atPrompt: showsPrompt };
  const { state, evidence } = await coordinator.activity(session);
  const asks = state === 'awaiting_input' && evidence.promptPattern;
  return { state, atPrompt: state === 'at_prompt' || asks };
}
