import { type Clock, defined, durationText } from '#base';
import {
  clampWaitMs,
  defaultWaitMs,
  isContinuation,
  isRelay,
  isSecondPrompt,
  isShell,
  isWholeInput,
  looksLikeShellPrompt,
  type OutputPosition,
  type OwnActivity,
  type RunRequest,
  type RunResult,
  type Sender,
  senderOf,
  VtrError,
  type WaitRequest,
} from '#model';
import type { Session } from '#session';
import {
  isInterruptedSilently,
  type LineEnd,
  type Pattern,
  promptPatternOf,
  shownByIn,
  TypedPrompt,
  waitForLine,
} from '#watch';
import { waitInSession } from '../waiting/send-and-wait.ts';
import {
  clearUnreadReplies,
  markPrompt,
  mayHaveTypedAhead,
  untilShellReads,
} from './ready-prompt.ts';

/** How long a new shell may take to show its first prompt, in ms. */
const startMs = 10_000;
/** How long a shell may take to answer the last key at a continuation prompt, in ms. */
const answerMs = 1_000;
/** How long a shell may take to read a ctrl+c, in ms. */
const interruptedMs = 5_000;

/** The prompt at which a line can be run. */
export type RunPrompt =
  /** The shell marks its prompts and commands. */
  | { readonly by: 'marks' }
  | {
      /**
       * `text`: the unfinished line of a program that reads the terminal. `screen`: text at the
       * cursor, on a screen that a program repaints.
       */
      readonly by: 'text' | 'screen';
      readonly typedAt: TypedPrompt;
      /** Whether the system does not report that the program reads the terminal. */
      readonly isUnsure: boolean;
    };

type PromptRequest = Pick<RunRequest, 'promptPattern' | 'signal' | 'timeoutMs'> & Sender;

/**
 * Waits until a prompt is shown at which nothing has been typed: the shell's, or that of a program
 * inside the shell. A running program has all of the time that is left, unless it asks or uses the whole screen.
 *
 * @param leftMs how long the call may still take
 * @throws VtrError NOT_AT_PROMPT, SESSION_NOT_RUNNING, INVALID_PATTERN, CANCELLED
 */
export async function promptOf(
  session: Session,
  request: PromptRequest,
  clock: Clock,
  leftMs: () => number,
): Promise<RunPrompt> {
  const { view } = session;
  const pattern = promptPatternOf(request.promptPattern);
  if (view.exitStatus !== null) {
    const message = 'the program has ended; revive the session, or spawn another session';
    throw new VtrError('SESSION_NOT_RUNNING', message);
  }
  await markPrompt(session, clock, senderOf(request));
  const { commands } = view;
  const isBetween = commands.prompt === null && commands.running === null && !commands.continues;
  // Before the first prompt, or after the end of a command.
  // Until the first input a shell may still read its files, which can print marks of others.
  const isStarting =
    commands.starting && (commands.integration === 'none' || view.inputCount === 0);
  if (isBetween && (isStarting || commands.integration === 'integrated')) {
    await waitInSession(session, promptWait(request, Math.min(startMs, leftMs())), clock);
    await markPrompt(session, clock, senderOf(request));
  }
  const { prompt } = commands;
  const isOwn = request.promptPattern !== undefined;
  // At another program's prompt, the shell's mark is an old one, and the line was typed to start it.
  const isStale = isOwn && prompt !== null && view.lastInputAt > prompt.offset;
  if (prompt !== null && !(isStale && matchesLine(view, pattern))) {
    await clearUnreadReplies(session, clock, senderOf(request), prompt);
    // The shell may still draw its prompt.
    const isDrawn = !isTypedAt(prompt, view) && !mayHaveTypedAhead(session, prompt);
    if (!isDrawn) await untilShellReads(session, clock);
    if (await isInterrupted(session, request, clock, leftMs)) return { by: 'marks' };
    checkNothingTyped(session, view.commands.prompt ?? prompt);
    return { by: 'marks' };
  }
  if (commands.continues && request.promptPattern === undefined) {
    // It may not have read a ctrl+c yet.
    const isRead = view.outputEnd > view.lastInputAt;
    const wait = promptWait(request, Math.min(answerMs, leftMs()));
    if (!isRead) await waitInSession(session, wait, clock);
    if (commands.continues) throw waitsForRest('the shell');
    return promptOf(session, request, clock, leftMs);
  }
  const programPrompt = await promptOfProgram(session, request, pattern, clock, leftMs);
  return programPrompt ?? promptOf(session, request, clock, leftMs);
}

function matchesLine(view: Session['view'], pattern: Pattern): boolean {
  const { text, typed } = view.lineAtCursor();
  return typed.trim() === '' && pattern.findTouching(text, 0, text.length) !== null;
}

/** The prompts of shells without marks at which runs have ended. */
const lastPrompts = new WeakMap<
  Session,
  { readonly pid: number; readonly outputEnd: number; readonly inputCount: number }
>();

/** Remembers that a shell shows its prompt, so that it is known when another program has printed after it. */
export async function noteShellPrompt(session: Session): Promise<void> {
  const { outputEnd, inputCount } = session.view;
  const { foreground } = (await session.activity()).evidence;
  if (foreground === null || !isShell(foreground.name)) return;
  lastPrompts.set(session, { pid: foreground.pid, outputEnd, inputCount });
}

/** What is left of a prompt, in its line, at which a run has ended. */
interface LeftOfPrompt {
  readonly text: string;
  /** Whether it is output for sure: otherwise, the line may have changed the prompt. */
  readonly isOutput: boolean;
}

const leftOfPrompts = new WeakMap<
  Session,
  LeftOfPrompt & { readonly line: number; readonly inputCount: number }
>();

/** Remembers what is left of a prompt, so that the next run does not take it for a part of the prompt. */
export function noteLeftOfPrompt(session: Session, left: LeftOfPrompt): void {
  const { inputCount, terminal } = session.view;
  leftOfPrompts.set(session, { ...left, line: terminal.linePosition().line, inputCount });
}

/** Returns the prompt left of the cursor, and what is left of it, as far as known. */
function promptAtCursor({ view }: Session, left: ReturnType<typeof leftOfPrompts.get>) {
  const { text } = view.lineAtCursor();
  const isSame =
    left?.inputCount === view.inputCount && left.line === view.terminal.linePosition().line;
  if (!isSame || !text.startsWith(left.text)) return { text, maybe: '' };
  return { text: text.slice(left.text.length), maybe: left.isOutput ? '' : left.text };
}

/**
 * Lets a shell show its prompt again if a background program has printed after it. A shell that has had no input
 * since its prompt still reads there, so that Enter runs nothing.
 */
async function showPromptAgain(session: Session, sender: Sender): Promise<void> {
  const { view } = session;
  const last = lastPrompts.get(session);
  const isSame = () => last?.inputCount === view.inputCount && view.outputEnd > last.outputEnd;
  if (last === undefined || !isSame() || view.commands.prompt !== null) return;
  const { foreground, readingTerminal } = (await session.activity()).evidence;
  if (foreground?.pid !== last.pid || readingTerminal !== true || !isSame()) return;
  await session.sendText('\r', sender);
}

/** Waits for the prompt of a program whose prompts are not marked. Null if the shell marks one meanwhile, or has ended. */
async function promptOfProgram(
  session: Session,
  request: PromptRequest,
  pattern: Pattern,
  clock: Clock,
  leftMs: () => number,
): Promise<RunPrompt | null> {
  const { view } = session;
  const query = () => session.activity();
  await showPromptAgain(session, senderOf(request));
  const wait = promptWait(request, Math.max(0, leftMs()));
  const ends = { by: 'shown', asks: true } as const;
  const shown: LineEnd = await waitForLine(view, wait, clock, query, ends);
  const { prompt } = view.commands;
  const isMarked = shown.outcome === 'prompt' && prompt !== null;
  if (shown.outcome === 'exited' || (isMarked && prompt.offset >= view.lastInputAt)) return null;
  const activity = await query();
  if (view.lineAtCursor().typed.trim() !== '') throw textIsTyped();
  if (shown.outcome !== 'prompt') throw noPrompt(session, activity, shown, request);
  const isOwn = request.promptPattern !== undefined;
  const { alternate } = view.terminal;
  const { text, maybe } = promptAtCursor(session, leftOfPrompts.get(session));
  return {
    by: alternate ? 'screen' : 'text',
    typedAt: new TypedPrompt(
      text,
      shownByIn(activity),
      pattern,
      isOwn,
      session.bracketedPaste,
      maybe,
    ),
    isUnsure: shown.isUnsure ?? false,
  };
}

/** Returns the program that waits for input. */
function asker({ evidence, reader }: OwnActivity): Pick<RunResult, 'program'> {
  const program = reader ?? evidence.foreground?.name;
  return program === undefined ? {} : { program };
}

/** Sessions in which a run has ended at the prompt of a program. */
const atProgramBefore = new WeakSet<Session>();

/**
 * Returns the program at whose prompt a line was typed and that shows it again, if it is known not to be a shell: the
 * system says that it reads, and waits for nothing else as what passes on another program's terminal does.
 */
export async function programAt(
  session: Session,
  typedAt: TypedPrompt,
): Promise<Pick<RunResult, 'program' | 'isFirstAtProgram'>> {
  const activity = await session.activity();
  const { evidence, reader = null } = activity;
  const shownBy = shownByIn(activity);
  const names = [reader, evidence.foreground?.name ?? null];
  const isSame = shownBy !== null && typedAt.isOf(shownBy);
  const isKnown = isSame && evidence.readingTerminal === true && names[1] !== null;
  if (!isKnown || names.some((name) => isShell(name) || isRelay(name))) return {};
  if (looksLikeShellPrompt(session.view.lineAtCursor().text)) return {};
  const isFirst = !atProgramBefore.has(session);
  atProgramBefore.add(session);
  return { ...asker(activity), ...defined({ isFirstAtProgram: isFirst || undefined }) };
}

function promptWait({ promptPattern, signal }: PromptRequest, timeoutMs: number): WaitRequest {
  return {
    prompt: true,
    timeoutMs,
    ...defined({ promptPattern, signal }),
  };
}

/** Whether the shell has read a ctrl+c for which it prints nothing, and reads at the same prompt again. */
async function isInterrupted(
  session: Session,
  request: PromptRequest,
  clock: Clock,
  leftMs: () => number,
): Promise<boolean> {
  if (!isInterruptedSilently(session.view)) return false;
  const wait = promptWait(request, Math.min(interruptedMs, leftMs()));
  const { outcome } = await waitInSession(session, wait, clock);
  return outcome === 'prompt' && isInterruptedSilently(session.view);
}

function checkNothingTyped({ view }: Session, prompt: OutputPosition): void {
  // Input that the shell has not echoed yet.
  const isPending = view.lastInputAt >= prompt.offset && view.lastInputAt === view.outputEnd;
  if (isPending) {
    throw notAtPrompt(
      'input was sent to the prompt and is not echoed yet; the shell may wait for the rest of a key sequence',
      'clear it with the key ctrl+c',
    );
  }
  if (isTypedAt(prompt, view)) throw textIsTyped();
}

function isTypedAt(prompt: OutputPosition, view: Session['view']): boolean {
  const hadInput = view.lastInputAt > prompt.offset;
  // Rows of the alternate screen have no numbers.
  if (prompt.line === null) return hadInput;
  const { line, col } = view.terminal.linePosition();
  // Input typed before the prompt appeared is in its line. Below it, background programs may print.
  return line === prompt.line ? col !== prompt.col : hadInput;
}

function textIsTyped(): VtrError {
  return notAtPrompt(
    'text is already typed at the prompt',
    'run it with the key enter, or clear it with the key ctrl+c',
  );
}

const waitsForRest = (who: string): VtrError =>
  notAtPrompt(
    `${who} waits for the rest of a command`,
    'type it, or cancel the command with the key ctrl+c',
  );

/** Whether what the program in the foreground shows is its prompt for the rest of a command. */
function asksForRest({ view }: Session, activity: OwnActivity): boolean {
  if (view.commands.continues) return true;
  const { text } = view.lineAtCursor();
  const name = activity.reader ?? activity.evidence.foreground?.name ?? null;
  const isWhole = isSecondPrompt(text) && isWholeInput(view.inputs.at(-1)?.text ?? '"');
  return isContinuation(text, name, isWhole);
}

/** Returns the error for a session without a prompt, with the reason. */
function noPrompt(
  session: Session,
  activity: OwnActivity,
  { outcome }: LineEnd,
  { timeoutMs }: PromptRequest,
): VtrError {
  const { view } = session;
  const { state, evidence } = activity;
  const { running } = view.commands;
  const name = evidence.foreground?.name ?? 'the program';
  const patternHint = 'name its prompt with --prompt-pattern';
  if (state === 'full_screen') {
    return notAtPrompt(
      `${name} uses the whole screen and shows no prompt at the cursor`,
      `send it keys and read its screen, or ${patternHint}`,
    );
  }
  if (state !== 'running' && outcome !== 'timed_out' && asksForRest(session, activity)) {
    return waitsForRest(isShell(name) ? 'the shell' : name);
  }
  const isUnmarked = running === null && view.commands.prompt === null;
  if (
    state === 'awaiting_input' &&
    isShell(name) &&
    isUnmarked &&
    view.lineAtCursor().text === ''
  ) {
    return notAtPrompt(
      `${name} waits for input and shows no prompt at the cursor`,
      `if a background program has printed after its prompt, press the key enter; else send it the input, or ${patternHint}`,
    );
  }
  if (state === 'awaiting_input' || state === 'password') {
    return notAtPrompt(
      `${name} waits for input and shows no prompt`,
      `send it the input, or ${patternHint}`,
    );
  }
  const fix = `wait longer for the prompt, end the program with the key ctrl+c, or ${patternHint}`;
  const limit = durationText(clampWaitMs(timeoutMs, defaultWaitMs));
  const waited = outcome === 'timed_out' ? `, and no prompt came within ${limit}` : '';
  if (running === null) return notAtPrompt(`no prompt is shown at the cursor${waited}`, fix);
  const seconds = Math.round(running.durationMs / 1000);
  const line = JSON.stringify(running.line ?? 'a command');
  return notAtPrompt(`${line} has been running for ${seconds} s${waited}`, fix);
}

function notAtPrompt(reason: string, fix: string): VtrError {
  return new VtrError('NOT_AT_PROMPT', `${reason}; ${fix}`);
}

/** Returns what is known of the program that waits for input after a line. */
export async function askedBy(
  session: Session,
  isPart: boolean,
): Promise<Pick<RunResult, 'program' | 'asksForRest'>> {
  const activity = await session.activity();
  const isRest = isPart || asksForRest(session, activity);
  return { ...asker(activity), ...defined({ asksForRest: isRest || undefined }) };
}
