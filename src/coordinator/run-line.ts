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
import { commandOutput, type LineOutput, outputOfLine } from '#watch';
import { clearShownLine, statusWithoutCommand } from './line-without-command.ts';
import { sendAndWait } from './send-and-wait.ts';
import { waitInSession } from './wait-in-session.ts';

/** How long a new shell may take to show its first prompt, in ms. */
const startMs = 10_000;
/** How long to wait for a prompt without marks, in ms. It must stay for a moment, see `watch`. */
const promptMs = 1_000;

/** Implements `Coordinator.run`. */
export async function runLine(
  session: Session,
  request: RunRequest,
  clock: Clock,
): Promise<RunResult> {
  const { line, maxLines, maxBytes, maxTokens, keep, ...wait } = request;
  if (line.trim() === '') throw new VtrError('NO_INPUT', 'the line is empty; give a command');
  checkBudget(request);
  session.checkTakesInput();
  const timeoutMs = clampWaitMs(wait.timeoutMs, defaultWaitMs);
  const startedMs = clock.nowMs();
  await waitForEmptyPrompt(session, wait, clock);
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
  const ended = resultOf(end as WaitResult, command, output);
  const status =
    command === null ? statusWithoutCommand(session, line, outputEnd, output.text) : null;
  if (status !== null) await clearShownLine(session, clock);
  const exitCode = status ?? ended.exitCode;
  return { ...ended, exitCode, timeoutMs, elapsedMs: clock.nowMs() - startedMs };
}

/**
 * Waits until the shell shows an empty prompt.
 *
 * @throws VtrError NOT_AT_PROMPT, SESSION_NOT_RUNNING
 */
async function waitForEmptyPrompt(
  session: Session,
  { promptPattern, signal, timeoutMs }: RunRequest | WaitRequest,
  clock: Clock,
): Promise<void> {
  const { view } = session;
  if (view.exitStatus !== null) {
    throw new VtrError('SESSION_NOT_RUNNING', 'the shell has ended; spawn another session');
  }
  const { integration, starting, prompt, running, continues } = view.commands;
  // Also after the end of a command, before the next prompt.
  if (prompt === null && running === null && !continues) {
    const isMarked = integration !== 'none';
    const limitMs = starting || isMarked ? startMs : promptMs;
    const request = {
      prompt: true,
      timeoutMs: Math.min(limitMs, timeoutMs ?? limitMs),
      ...(promptPattern === undefined ? {} : { promptPattern }),
      ...(signal === undefined ? {} : { signal }),
    };
    const { outcome } = await waitInSession(session, request, clock);
    if (outcome !== 'prompt' && !isMarked) {
      throw notAtPrompt('no prompt is shown at the cursor', waitOrEnd);
    }
  }
  if (view.commands.integration !== 'none') checkPromptIsEmpty(session);
}

function checkPromptIsEmpty({ view }: Session): void {
  const { prompt, running, continues } = view.commands;
  if (running !== null) {
    const seconds = Math.round(running.durationMs / 1000);
    throw notAtPrompt(
      `${JSON.stringify(running.line ?? 'a command')} has been running for ${seconds} s`,
      waitOrEnd,
    );
  }
  if (continues) {
    throw notAtPrompt(
      'the shell waits for the rest of a command',
      'type it, or cancel the command with the key ctrl+c',
    );
  }
  if (prompt === null) throw notAtPrompt('the shell shows no prompt', waitOrEnd);
  // Input that the shell has not echoed yet.
  const isPending = view.lastInputAt >= prompt.offset && view.lastInputAt === view.outputEnd;
  if (isPending || isTypedAt(prompt, view)) {
    throw notAtPrompt(
      'text is already typed at the prompt',
      'run it with the key enter, or clear it with the key ctrl+c',
    );
  }
}

function isTypedAt(prompt: OutputPosition, view: Session['view']): boolean {
  const hadInput = view.lastInputAt > prompt.offset;
  // Only vtr's integration is known to mark the exact end of the prompt. Rows of the alternate
  // screen have no numbers.
  if (view.commands.integration !== 'integrated' || prompt.line === null) return hadInput;
  const { line, col } = view.terminal.linePosition();
  // Input typed before the prompt appeared is in its line. Below it, background programs may print.
  return line === prompt.line ? col !== prompt.col : hadInput;
}

const waitOrEnd = 'wait for the prompt, or end the program with the key ctrl+c';

function notAtPrompt(reason: string, fix: string): VtrError {
  return new VtrError('NOT_AT_PROMPT', `${reason}; ${fix}`);
}

/** Sends several lines as one paste if the shell supports it, so that they are one command. */
async function typeLine(session: Session, line: string): Promise<InputReceipt> {
  if (!session.bracketedPaste || !hasControls(line)) {
    return session.sendText(`${line}\r`, { paste: 'auto' });
  }
  const typed = session.sendText(line, { paste: 'always' });
  const [receipt] = await Promise.all([typed, session.sendText('\r', {})]);
  return receipt;
}

/**
 * Typed without a paste, a tab would trigger completion and a line end would run an incomplete
 * command.
 */
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
