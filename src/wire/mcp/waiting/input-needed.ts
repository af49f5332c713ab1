import type {
  Activity,
  ActivityState,
  Coordinator,
  SessionRef,
  WaitOutcome,
  WaitRequest,
  WaitResult,
} from '#model';

/** Why a wait ended: besides what a coordinator says, because a program asks for input. */
export type Outcome = WaitOutcome | 'awaiting_input' | 'password';

export type Waited = Omit<WaitResult, 'outcome'> & {
  readonly outcome: Outcome;
  /** Whether the program that asks does so by a prompt. */
  readonly asksByPrompt?: boolean;
};

/**
 * After so much silence, in ms, a program is looked at: for the first time, the next times, and when
 * nobody can tell whether it reads.
 */
const looks = { firstMs: 300, laterMs: 1000 };

/**
 * A wait for a prompt or for the end of a command would wait in vain where a program asks for
 * something itself: a question, a pager, a REPL. It ends then, by what the system knows of that program.
 *
 * @param request without `quietMs` where silence is not waited for
 * @param begin starts the first part of the wait, as of input that is sent with it
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
  let result = await begin({ ...request, quietMs: looks.firstMs });
  const told = { timeoutMs: result.timeoutMs };
  for (let quietMs = looks.firstMs; result.outcome === 'idle'; quietMs = looks.laterMs) {
    const activity = await coordinator.activity(session);
    const asks = inputNeeded(activity, quietMs);
    const asksByPrompt = activity.evidence.promptPattern;
    if (asks !== null) return { ...result, ...told, outcome: asks, asksByPrompt };
    timeoutMs = Math.max(0, (request.timeoutMs ?? 0) - (performance.now() - startedMs));
    const since = request.match || request.stop || request.finished ? { since: result.mark } : {};
    const part = { ...request, ...since, quietMs: looks.laterMs, timeoutMs };
    result = await coordinator.wait(session, part);
  }
  return { ...result, ...told };
}

/** What a program asks for that has been silent for so long; null where it asks for nothing. */
function inputNeeded({ state, evidence }: Activity, quietMs: number): Outcome | null {
  const { readingTerminal, promptPattern } = evidence;
  if (state === 'exited' || readingTerminal === false) return null;
  const asks = state === 'password' ? 'password' : 'awaiting_input';
  if (readingTerminal === true) return asks;
  // Nobody can tell, as of a shell at the other end of ssh.
  const looksSo = state === 'password' || (promptPattern && state !== 'full_screen');
  return looksSo && quietMs >= looks.laterMs ? asks : null;
}

/**
 * Resolves when the line that the shell was given asks for input, or for its own rest; never where the shell does not mark
 * its commands, and not after `signal`.
 */
export async function whenInputNeeded(
  coordinator: Coordinator,
  session: SessionRef,
  signal: AbortSignal,
): Promise<Outcome> {
  for (let quietMs = looks.firstMs; ; quietMs = looks.laterMs) {
    const { outcome } = await coordinator.wait(session, { quietMs, signal });
    const activity = outcome === 'idle' ? await coordinator.activity(session) : null;
    const isAtLine = activity?.evidence.shellMark === 'command';
    const asks = isAtLine ? inputNeeded(activity, quietMs) : null;
    if (asks !== null) return asks;
    if (outcome === 'exited') return new Promise(() => {});
  }
}

export interface Doing {
  readonly state: ActivityState;
  /** Also at that of a REPL, say, which a shell has started. */
  readonly atPrompt: boolean;
}

/** What a session is doing: as a wait has found it, else asked for, which costs the daemon a fork. */
export async function activityAfter(
  coordinator: Coordinator,
  session: SessionRef,
  waited: Waited | null,
): Promise<Doing> {
  const { outcome, asksByPrompt = false } = waited ?? {};
  if (outcome === 'prompt') return { state: 'at_prompt', atPrompt: true };
  if (outcome === 'exited') return { state: 'exited', atPrompt: false };
  if (outcome === 'password') return { state: 'password', atPrompt: asksByPrompt };
  const { state, evidence } = await coordinator.activity(session);
  const asks = state === 'awaiting_input' && evidence.promptPattern;
  return { state, atPrompt: state === 'at_prompt' || asks };
}
