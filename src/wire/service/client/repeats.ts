import {
  type CommandRecord,
  type Coordinator,
  clampWaitMs,
  defaultWaitMs,
  type ReadBudget,
  type ReadMark,
  type RunRequest,
  type RunResult,
  type SendOptions,
  type SessionRef,
  VtrError,
  type WaitOptions,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { aboutSession } from '../convert/session-ref.ts';

export const waitMs = ({ timeoutMs }: WaitOptions): number => clampWaitMs(timeoutMs, defaultWaitMs);

/** An id for a call that is made by this process alone. */
export const newInputId = (): string =>
  [Date.now(), process.pid, Math.random() * 2 ** 52]
    .map((part) => Math.floor(part).toString(36))
    .join('-');

/** The time limits of a call over all its tries. */
export class CallTime {
  readonly #startedMs = performance.now();

  get elapsedMs(): number {
    return performance.now() - this.#startedMs;
  }

  leftMs(timeoutMs: number): number {
    return Math.max(0, timeoutMs - this.elapsedMs);
  }

  /** A wait with the time that is left. */
  waitLeft<Request extends WaitOptions>(wait: Request): Request {
    return { ...wait, timeoutMs: this.leftMs(waitMs(wait)) };
  }

  /** Input with the time that is left; its wait, unless it has a mark, is from `since`. */
  sendLeft(options: SendOptions, since: ReadMark | null): SendOptions {
    const { timeoutMs, wait } = options;
    return {
      ...options,
      ...(timeoutMs !== undefined && { timeoutMs: this.leftMs(timeoutMs) }),
      ...(wait && { wait: { ...(since !== null && { since }), ...this.waitLeft(wait) } }),
    };
  }

  /** The result of a repeated wait, with the times of all tries. */
  whole(request: WaitOptions, result: WaitResult): WaitResult {
    return { ...result, timeoutMs: waitMs(request), elapsedMs: this.elapsedMs };
  }
}

export type Wait = (request: WaitRequest) => Promise<WaitResult>;

/** Time in which a prompt that is already shown is recognised, in ms. */
const shownMs = 500;

/**
 * Repeats a wait from the mark of its first try. A command that had ended before, or a prompt that was
 * shown, would have ended the first try, so they count here too.
 */
export async function waitAgain(
  wait: Wait,
  request: WaitRequest,
  since: ReadMark,
): Promise<WaitResult> {
  const { finished = false, prompt = false, promptPattern, tail, signal } = request;
  if (finished || prompt) {
    const missed = await wait({ ...request, since, timeoutMs: 0 });
    if (missed.outcome !== 'timed_out') return missed;
    const state = await wait({
      ...{ finished, prompt, timeoutMs: prompt ? Math.min(waitMs(request), shownMs) : 0 },
      ...(promptPattern !== undefined && { promptPattern }),
      ...(tail && { tail }),
      ...(signal && { signal }),
    });
    if (state.outcome !== 'timed_out') return state;
  }
  return wait({ ...request, since });
}

/** A line of {@link Coordinator.run} that may have been typed, by a call that was interrupted. */
export interface TypedLine {
  readonly ref: SessionRef;
  readonly request: RunRequest;
  /** When the call was made, in ms since 1970. */
  readonly wallMs: number;
  readonly time: CallTime;
}

type Reads = Pick<Coordinator, 'commands' | 'commandOutput' | 'mark' | 'wait'>;

/** Time for a shell to begin a line that was typed, and between two checks, in ms. */
const beginMs = 1_000;
const checkMs = 50;
const recentCommands = 20;

/**
 * Waits for the end of a line that was typed before the connection broke, without typing it again.
 * Returns null if the shell has not run it.
 *
 * @throws VtrError UNAVAILABLE if the shell does not mark its commands, or several may be this one
 */
export async function resumeRun(client: Reads, typed: TypedLine): Promise<RunResult | null> {
  const { ref, request } = typed;
  let command = await begun(client, typed);
  if (command === null) return null;
  const now = () => client.wait(ref, { timeoutMs: 0, tail: { maxLines: 0 } });
  if (request.detach) return resultOf(typed, { ...(await now()), outcome: 'detached' }, command);
  for (;;) {
    const end = command.state === 'ended' ? await now() : await endOf(client, typed);
    const ended =
      command.state === 'ended' || end.outcome === 'finished' || end.outcome === 'prompt';
    if (ended) command = await current(client, ref, command);
    if (ended && command.state === 'running') {
      // Another command ended, or the end has not been reported yet.
      await pause(checkMs);
      continue;
    }
    const output = await client.commandOutput(ref, {
      ...budgetOf(request),
      command: command.number,
    });
    const outcome = ended ? 'finished' : (end.outcome as RunResult['outcome']);
    const { text, openEnd, gap } = output;
    return resultOf(typed, { ...end, outcome }, output.command, { output: text, openEnd, gap });
  }
}

/** Finds the one command that has this line and began after the call; null if none did. */
async function begun(
  client: Reads,
  { ref, request, wallMs, time }: TypedLine,
): Promise<CommandRecord | null> {
  const isIt = ({ line, startedAtMs }: CommandRecord) =>
    line?.trim() === request.line.trim() && startedAtMs >= wallMs;
  for (const lastMs = time.elapsedMs + beginMs; ; ) {
    const { commands, integration } = await client.commands(ref, { last: recentCommands });
    const [found, ...more] = commands.filter(isIt);
    if (found !== undefined && more.length === 0) return found;
    if (more.length > 0 || integration === 'none') break;
    if (time.elapsedMs > lastMs) return null;
    await pause(checkMs);
  }
  const message =
    'the connection was lost, and whether the line was typed is unknown; vtr commands and vtr read show what has run';
  throw new VtrError('UNAVAILABLE', aboutSession(ref, message), {
    details: { restarting: true },
  });
}

/** Waits for the end of the running command, as its run did. */
function endOf(client: Reads, { ref, request, time }: TypedLine): Promise<WaitResult> {
  const { asks = true, promptPattern, signal } = request;
  return client.wait(ref, {
    ...{ finished: true, asks, tail: { maxLines: 0 }, timeoutMs: time.leftMs(waitMs(request)) },
    ...(promptPattern !== undefined && { promptPattern }),
    ...(signal && { signal }),
  });
}

async function current(
  client: Reads,
  ref: SessionRef,
  command: CommandRecord,
): Promise<CommandRecord> {
  const { commands } = await client.commands(ref, { last: recentCommands });
  return commands.find(({ number }) => number === command.number) ?? command;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const budgetOf = ({ maxLines, maxBytes, maxTokens, keep }: ReadBudget): ReadBudget => ({
  ...(maxLines !== undefined && { maxLines }),
  ...(maxBytes !== undefined && { maxBytes }),
  ...(maxTokens !== undefined && { maxTokens }),
  ...(keep !== undefined && { keep }),
});

type Printed = Pick<RunResult, 'output' | 'openEnd' | 'gap'>;

/** The output of a detached line. */
const nothing: Printed = {
  output: { head: '', tail: '', omitted: null, tokens: 0 },
  openEnd: true,
  gap: { lines: 0, bytes: 0 },
};

function resultOf(
  { request, time }: TypedLine,
  end: Omit<WaitResult, 'outcome'> & { readonly outcome: RunResult['outcome'] },
  command: CommandRecord,
  printed: Printed = nothing,
): RunResult {
  const { outcome, exitStatus, mark, revision, question } = end;
  const { exitCode } = command;
  return {
    ...{ outcome, command, exitCode, ...printed, exitStatus, mark, revision },
    ...(question !== undefined && { question }),
    ...{ timeoutMs: waitMs(request), elapsedMs: time.elapsedMs },
  };
}
