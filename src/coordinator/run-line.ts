import type { Clock } from '#base';
import {
  type CommandRecord,
  checkBudget,
  clampWaitMs,
  defaultWaitMs,
  type InputReceipt,
  type OutputPosition,
  type RunRequest,
  type RunResult,
  VtrError,
  type WaitRequest,
  type WaitResult,
} from '#model';
import type { Session } from '#session';
import { commandOutput, type LineOutput, outputOfLine, waitFor } from '#watch';
import { sendAndWait } from './send-and-wait.ts';

/** How long a shell that has just been started may take to ask for its first command, in ms. */
const startMs = 10_000;
/** A prompt without marks has to stay for a moment before it is one, see `watch`. */
const promptMs = 1_000;

/** Contract: `Coordinator.run`. */
export async function runLine(
  session: Session,
  request: RunRequest,
  clock: Clock,
): Promise<RunResult> {
  const { line, maxLines, maxBytes, maxTokens, keep, ...wait } = request;
  if (line.trim() === '') throw new VtrError('NO_INPUT', 'there is no line to run');
  checkBudget(request);
  session.checkTakesInput();
  const timeoutMs = clampWaitMs(wait.timeoutMs, defaultWaitMs);
  const startedMs = clock.nowMs();
  await atPrompt(session, wait, clock);
  const leftMs = timeoutMs - (clock.nowMs() - startedMs);
  const ends = { ...wait, timeoutMs: leftMs, finished: true, prompt: true, tail: { maxLines: 0 } };
  const { outputEnd } = session.view;
  const { mark, wait: end } = await sendAndWait(session, { wait: ends }, clock, () =>
    typeLine(session, line),
  );
  const { commands } = session.view;
  const command = commands.running ?? commands.endedAfter(outputEnd);
  const output =
    command === null
      ? outputOfLine(session.view, mark, request)
      : commandOutput(session.view, command, request);
  const elapsedMs = clock.nowMs() - startedMs;
  return { ...resultOf(end as WaitResult, command, output), timeoutMs, elapsedMs };
}

/** @throws VtrError NOT_AT_PROMPT, SESSION_NOT_RUNNING */
async function atPrompt(
  session: Session,
  { promptPattern, signal, timeoutMs }: RunRequest | WaitRequest,
  clock: Clock,
): Promise<void> {
  const { view } = session;
  if (view.exitStatus !== null) {
    throw new VtrError('SESSION_NOT_RUNNING', 'the shell has ended; spawn another session');
  }
  const { integration, starting, prompt, running, continues } = view.commands;
  // Also between the end of a command and the prompt that follows it.
  if (prompt === null && running === null && !continues) {
    const isMarked = integration !== 'none';
    const limitMs = starting || isMarked ? startMs : promptMs;
    const request = {
      prompt: true,
      timeoutMs: Math.min(limitMs, timeoutMs ?? limitMs),
      ...(promptPattern === undefined ? {} : { promptPattern }),
      ...(signal === undefined ? {} : { signal }),
    };
    const { outcome } = await waitFor(view, request, clock);
    if (outcome !== 'prompt' && !isMarked) {
      throw notAtPrompt('what stands left of the cursor is no prompt');
    }
  }
  if (view.commands.integration !== 'none') checkPromptIsEmpty(session);
}

function checkPromptIsEmpty({ view }: Session): void {
  const { prompt, running, continues } = view.commands;
  if (running !== null) {
    const seconds = Math.round(running.durationMs / 1000);
    throw notAtPrompt(`${JSON.stringify(running.line ?? 'a command')} has run for ${seconds} s`);
  }
  if (continues) throw notAtPrompt('the shell asks for the rest of a command; type it');
  if (prompt === null) throw notAtPrompt('the shell has not asked for a command');
  // What was typed this moment has not come back yet.
  const isUnderway = view.lastInputAt >= prompt.offset && view.lastInputAt === view.outputEnd;
  if (isUnderway || isTypedAt(prompt, view)) {
    throw notAtPrompt('something is typed at its prompt already');
  }
}

function isTypedAt(prompt: OutputPosition, view: Session['view']): boolean {
  const isAsked = view.lastInputAt > prompt.offset;
  // Ours tells exactly where its prompt ends, others perhaps where it begins; and rows of the
  // alternate screen have no number.
  if (view.commands.integration !== 'integrated' || prompt.line === null) return isAsked;
  const { line, col } = view.outputPlace();
  // What was typed before the prompt came stands in its line. Below it, programs in the background print.
  return line === prompt.line ? col !== prompt.col : isAsked;
}

function notAtPrompt(reason: string): VtrError {
  return new VtrError(
    'NOT_AT_PROMPT',
    `${reason}; wait for the prompt, or end what runs with the key ctrl+c`,
  );
}

/** A line of several goes in as a paste, where the shell knows one: then it is one command. */
async function typeLine(session: Session, line: string): Promise<InputReceipt> {
  if (!session.bracketedPaste || !hasControls(line)) {
    return session.sendText(`${line}\r`, { paste: 'auto' });
  }
  const typed = session.sendText(line, { paste: 'always' });
  const [receipt] = await Promise.all([typed, session.sendText('\r', {})]);
  return receipt;
}

/** A tab would complete something, and a line end would run the half. */
function hasControls(line: string): boolean {
  return /\p{Cc}/u.test(line);
}

function resultOf(
  end: WaitResult,
  command: CommandRecord | null,
  { text, openEnd, gap }: LineOutput,
): Omit<RunResult, 'timeoutMs' | 'elapsedMs'> {
  const { exitStatus, mark, revision } = end;
  return {
    outcome: end.outcome as RunResult['outcome'],
    command,
    exitCode: command?.exitCode ?? null,
    ...{ output: text, openEnd, gap, exitStatus, mark, revision },
  };
}
