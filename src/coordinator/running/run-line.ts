import { type Clock, defined, encodeUtf8 } from '#base';
import {
  asVtrError,
  type CommandRecord,
  checkBudget,
  checkInputId,
  clampWaitMs,
  defaultWaitMs,
  type InputReceipt,
  isRelay,
  isShell,
  type LineKey,
  type ObservedInput,
  type RunRequest,
  type RunResult,
  replacesShell,
  type SendOptions,
  senderOf,
  startsShell,
  VtrError,
  type WaitRequest,
} from '#model';
import { hasLongLine, maxLineBytes, type Session } from '#session';
import {
  commandOutput,
  type LineEnd,
  type LineEnds,
  type LineOutput,
  markNow,
  outputOfLines,
  outputOnScreen,
  type TypedPrompt,
  type UnmarkedLine,
  waitForLine,
} from '#watch';
import type { ShownView } from '../redacting/redacted-terminal.ts';
import { sendAndWait } from '../waiting/send-and-wait.ts';
import { askStatus, promptHeight, type ReadAbove, relayedReader } from './ask-status.ts';
import {
  checkLine,
  clearShownLine,
  evaluated,
  evaluatedAnywhere,
  expandingShells,
  hasControls,
  isComment,
  keysBefore,
  lineAtOnce,
  mayExpand,
  quoted,
  statusWithoutCommand,
} from './line-encoding.ts';
import {
  atChangedPrompt,
  closed,
  closedAt,
  type Ended,
  interruptedResult,
  nothing,
  outputFields,
  resultOf,
  resultOfCommand,
} from './line-result.ts';
import { markPrompt } from './ready-prompt.ts';
import {
  askedBy,
  noteLeftOfPrompt,
  noteShellPrompt,
  programAt,
  promptOf,
  type RunPrompt,
} from './run-prompt.ts';
import { typingTurn } from './typing-turns.ts';

/** How long a shell may take to begin a command, for `detach`, or to show its prompt after one, in ms. */
const beginMs = 1_000;

/** A prompt that is shown sooner than this, in ms, was not waited for. */
const soonMs = 50;

export interface LineParts {
  readonly clock: Clock;
  /** The session as the result shows it. */
  readonly shown: ShownView;
  /** Called when the prompt is there, before the line is typed. */
  readonly onTyping?: () => void;
}

/** Implements `Coordinator.run`. */
export async function runLine(
  session: Session,
  request: RunRequest & ObservedInput,
  parts: LineParts,
): Promise<RunResult> {
  const { clock } = parts;
  checkLine(request.line);
  checkBudget(request);
  if (request.inputId !== undefined) checkInputId(request.inputId);
  session.checkTakesInput();
  session.gate?.check(request);
  const timeoutMs = clampWaitMs(request.timeoutMs, defaultWaitMs);
  const startedMs = clock.nowMs();
  const leftMs = () => timeoutMs - (clock.nowMs() - startedMs);
  const find = () => promptOf(session, request, clock, leftMs);
  const { prompt, end } = await typingTurn(session, request, clock, find, leftMs);
  try {
    if (clock.nowMs() - startedMs > soonMs) await request.beforeTyping?.();
    parts.onTyping?.();
    const line = new RunningLine(session, request, parts, leftMs);
    const running = prompt.by === 'marks' ? line.runMarked(end) : line.runAt(prompt);
    const ended = await running.catch((error: unknown) => line.interrupted(error));
    const isAsked = ended.outcome === 'awaiting_input' || ended.outcome === 'password';
    // A shell that marks its commands, and has begun none.
    const isPart = prompt.by === 'marks' && ended.command === null;
    const asks = isAsked ? await askedBy(session, isPart) : {};
    const isSure = ended.outcome === 'prompt' && !ended.incomplete;
    if (prompt.by === 'text' && isSure) await noteShellPrompt(session);
    return { ...ended, ...asks, timeoutMs, elapsedMs: clock.nowMs() - startedMs };
  } finally {
    end();
  }
}

/** Returns the id of a part of the input of a run: each part has one of its own. */
export const partId = (inputId: string | undefined, part: number): string | undefined =>
  inputId === undefined ? undefined : `${inputId}:${part}`;

/**
 * Continues to wait for a line that was begun when the output ended at an offset. Types it only if it was
 * not typed then, at a prompt.
 *
 * @throws VtrError NOT_AT_PROMPT; UNAVAILABLE if its command is not found
 */
export async function resumeLine(
  session: Session,
  request: RunRequest,
  parts: LineParts,
  offset: number,
): Promise<RunResult> {
  const { clock } = parts;
  checkBudget(request);
  const timeoutMs = clampWaitMs(request.timeoutMs, defaultWaitMs);
  const startedMs = clock.nowMs();
  const leftMs = () => timeoutMs - (clock.nowMs() - startedMs);
  const ended = await new RunningLine(session, request, parts, leftMs).resume(offset);
  return { ...ended, timeoutMs, elapsedMs: clock.nowMs() - startedMs };
}

/** A line that is run. */
class RunningLine {
  readonly #session: Session;
  readonly #request: RunRequest & ObservedInput;
  #typedParts = 0;
  /** The end of the output before the first part of the line was typed; null if none is. */
  #typedFrom: number | null = null;
  /** Whether ctrl+v is typed before each control character of the line. */
  #quotes = false;
  /** How the shell takes the line as it is; null at the prompt of another program. */
  #lineKey: LineKey | null = null;
  /** Whether an unknown program behind a relay may have expanded `!`, so that the status may be of another line. */
  #maybeExpanded = false;
  readonly #clock: Clock;
  readonly #shown: ShownView;
  readonly #leftMs: () => number;

  constructor(
    session: Session,
    request: RunRequest & ObservedInput,
    { clock, shown }: LineParts,
    leftMs: () => number,
  ) {
    this.#session = session;
    this.#request = request;
    this.#clock = clock;
    this.#shown = shown;
    this.#leftMs = leftMs;
  }

  /**
   * Runs the line in a shell that marks its commands.
   *
   * @param onBegun called when the shell has begun the command, if the line is one
   */
  async runMarked(onBegun: () => void): Promise<Ended> {
    const { view } = this.#session;
    const { line, detach } = this.#request;
    const { outputEnd } = view;
    const by = detach ? 'begun' : 'marked';
    this.#quotes = await this.#needsQuotes(line);
    this.#lineKey = view.commands.lineKey;
    const pastes = this.#session.bracketedPaste;
    const onTyped = () => {
      this.#until({ by: 'begun', asks: false }).then(onBegun, () => {});
    };
    const { mark, end: first } = await this.#type(line, { by, asks: this.#asks }, onTyped);
    const end = detach ? first : await this.#endUnmarked(first, outputEnd);
    const command = view.commands.running ?? view.commands.endedAfter(outputEnd);
    if (detach && end.outcome !== 'exited') {
      return { ...resultOf(end, command, nothing), outcome: 'detached' };
    }
    if (command !== null) {
      const last = end.outcome === 'finished' ? await this.#ifExited(end) : end;
      const budget = this.#request;
      return resultOfCommand(last, command, this.#outputOf(command), this.#shown, budget);
    }
    // The line is incomplete, or the shell did not run it: a comment, a syntax error.
    if (end.outcome !== 'prompt') return resultOf(end, null, nothing);
    // A prompt may begin above the line of the cursor, and hooks of the user may print before it.
    const endLine =
      view.commands.lineOfEndWithoutCommand(outputEnd) ?? view.terminal.linePosition().line;
    const typed = { mark, text: line, endLine, endText: '', isNoCommand: true, pastes };
    const output = outputOfLines(this.#shown, [typed], this.#request);
    const exitCode = statusWithoutCommand(
      this.#session,
      line,
      this.#lineKey,
      outputEnd,
      output.text,
    );
    if (exitCode !== null)
      await clearShownLine(this.#session, this.#lineKey, this.#clock, senderOf(this.#request));
    const source = exitCode === null ? {} : ({ statusFrom: 'marks' } as const);
    return { ...resultOf(end, null, output), exitCode, ...source };
  }

  /** The result of a line that is typed in part, because a person types. @throws the error of any other */
  interrupted(error: unknown): Ended {
    const from = this.#typedFrom;
    if (asVtrError(error).code !== 'NOT_DRIVER' || from === null) throw error;
    const { commands } = this.#session.view;
    const record = commands.running ?? commands.endedAfter(from);
    // One that began before is the program at whose prompt the line was typed.
    const command = record !== null && record.from.offset >= from ? record : null;
    return interruptedResult(this.#session, command, (each) => this.#outputOf(each));
  }

  /** What waits for input may be the shell itself, whose command has removed the marks from its prompt. */
  async #endUnmarked(end: LineEnd, outputEnd: number): Promise<LineEnd> {
    if (end.outcome !== 'awaiting_input' && end.outcome !== 'timed_out') return end;
    const { view } = this.#session;
    await markPrompt(this.#session, this.#clock, senderOf(this.#request));
    if (view.commands.endedAfter(outputEnd) === null) return end;
    const { exitStatus } = view;
    const { revision } = this.#session;
    return { ...end, outcome: 'finished', exitStatus, mark: markNow(view), revision };
  }

  /** fish marks the end of `exit` as well, and then exits. Waits for what follows the end of a command. */
  async #ifExited(end: LineEnd): Promise<LineEnd> {
    const { commands, exitStatus } = this.#session.view;
    if (commands.prompt !== null || commands.running !== null || exitStatus !== null) return end;
    const next = await this.#until({ by: 'followed', asks: false });
    return next.outcome === 'exited' ? next : end;
  }

  /** Waits for the command of a line that was typed at an offset. */
  async resume(offset: number): Promise<Ended> {
    const { view } = this.#session;
    const command = () => {
      const command = view.commands.endedAfter(offset) ?? view.commands.running;
      // One that began before is the program at whose prompt the line was typed.
      return command !== null && command.from.offset >= offset ? command : null;
    };
    if (command() === null) await this.#typeAgain(() => command() !== null);
    const begun = command();
    if (begun === null) {
      const message = 'the line was sent before, and its command is not found; read the output';
      throw new VtrError('UNAVAILABLE', message);
    }
    const now = { mark: markNow(view), revision: this.#session.revision };
    const { exitStatus } = view;
    const end =
      begun.number === view.commands.running?.number && !this.#request.detach
        ? await this.#until({ by: 'marked', asks: this.#asks })
        : { outcome: 'finished' as const, exitStatus, ...now };
    const last = this.#session.command(begun.number);
    if (!this.#request.detach) {
      return resultOf(end, last, this.#outputOf(last));
    }
    return { ...resultOf(end, last, nothing), outcome: 'detached' };
  }

  /**
   * Types the line, which its coordinator may have typed before it was killed: the ids of its parts tell. If it was
   * not, another program than the shell may read by now.
   */
  async #typeAgain(hasBegun: () => boolean): Promise<void> {
    const find = () => promptOf(this.#session, this.#request, this.#clock, this.#leftMs);
    const untilBegun = () => this.#until({ by: 'begun', asks: false });
    try {
      const session = this.#session;
      const turn = typingTurn(session, this.#request, this.#clock, find, this.#leftMs);
      const { prompt, end } = await turn;
      try {
        this.#quotes = prompt.by === 'marks' && (await this.#needsQuotes(this.#request.line));
        this.#lineKey = prompt.by === 'marks' ? this.#session.view.commands.lineKey : null;
        if (!hasBegun()) await this.#typeLine(this.#request.line);
        if (!hasBegun()) await untilBegun();
      } finally {
        end();
      }
    } catch (error) {
      if (asVtrError(error).code !== 'NOT_AT_PROMPT') throw error;
      // The line itself may be what is typed there.
      if (!hasBegun()) await untilBegun();
    }
  }

  /** Runs the line at a prompt without marks. */
  async runAt(prompt: Exclude<RunPrompt, { by: 'marks' }>): Promise<Ended> {
    const { view } = this.#session;
    const { line, detach } = this.#request;
    const typedLine = await this.#unexpanded(line, prompt.typedAt.text);
    await this.#checkLength(typedLine);
    if (detach) return this.#detached(typedLine);
    const outer = view.commands.running;
    const { outputEnd } = view;
    const wasAlternate = view.terminal.alternate;
    const { end: shown, typed } = await this.#typeAt(prompt, typedLine);
    const end = atChangedPrompt(shown, line);
    const isAtPrompt = end.outcome === 'prompt';
    const { text, typed: unread } = view.lineAtCursor();
    const endText = isAtPrompt ? prompt.typedAt.outputBefore(text) : `${text}${unread}`;
    const isUnsure = isAtPrompt && (prompt.isUnsure || end.isUnsure === true);
    if (view.terminal.alternate) {
      const echo = `${prompt.typedAt.text}${line.split('\n', 1)[0]}`;
      const output = outputOnScreen(this.#shown, echo, endText, this.#request);
      return { ...resultOf(end, null, output), source: 'screen', incomplete: true };
    }
    const endLine = view.terminal.linePosition().line;
    if (outer !== null && view.commands.running?.number !== outer.number) {
      // The line ended the program at whose prompt it ran (`exit`), which is a command of the shell.
      const ended = this.#session.command(outer.number);
      if (wasAlternate) {
        // What the program left below its command, perhaps from before the line: the screen of the line is gone.
        const left = resultOf(end, ended, this.#outputOf(ended));
        return { ...left, ...(isAtPrompt ? { outcome: 'finished' } : {}), incomplete: true };
      }
      const lines = isAtPrompt ? closedAt(typed, ended, view.lineAtCursor().text, endLine) : null;
      const output = outputOfLines(
        this.#shown,
        lines ?? closed(typed, endLine, endText),
        this.#request,
      );
      return { ...resultOf(end, ended, output), ...(isAtPrompt ? { outcome: 'finished' } : {}) };
    }
    const output = outputOfLines(this.#shown, closed(typed, endLine, endText), this.#request);
    const command = isAtPrompt ? this.#unverifiedSince(outputEnd) : null;
    const result = {
      ...resultOf(end, command, output),
      ...defined({ incomplete: isUnsure || undefined }),
    };
    if (!isAtPrompt || command !== null) return result;
    const outcome = await this.#withStatus(result, prompt.typedAt, (rows, before) =>
      outputOfLines(this.#shown, closed(typed, endLine - rows, before), this.#request),
    );
    const inner = await this.#innerShell(outcome);
    if (inner !== null) return inner;
    if (outcome.exitCode !== null || isUnsure) return outcome;
    return { ...outcome, ...(await programAt(this.#session, prompt.typedAt)) };
  }

  /** Asks the shell for the exit status, if it is a shell. */
  async #withStatus(result: Ended, typedAt: TypedPrompt, read: ReadAbove): Promise<Ended> {
    const { line, query = true } = this.#request;
    if (!query || isComment(line) || this.#maybeExpanded) {
      const rows = await promptHeight(this.#session);
      if (rows > 0) return { ...result, ...outputFields(read(rows, '')) };
      return this.#unverified(result, typedAt);
    }
    const type = (text: string) => this.#typePasted(text);
    const answer = await askStatus(this.#session, line, typedAt, this.#clock, type, read);
    if (answer === null) return this.#unverified(result, typedAt);
    const { exitCode, isAlone, left, output, mark, revision } = answer;
    noteLeftOfPrompt(this.#session, { text: left, isOutput: isAlone });
    const { incomplete: _, ...rest } = result;
    return {
      ...rest,
      ...(output && outputFields(output)),
      mark,
      revision,
      // It has answered behind the output of the line.
      ...(isAlone ? {} : { incomplete: true }),
      ...(exitCode === null ? {} : { exitCode, statusFrom: 'query' }),
    };
  }

  /** What is left of the prompt may be output, or a part of the prompt if the line has changed it. */
  async #unverified(result: Ended, typedAt: TypedPrompt): Promise<Ended> {
    const { text } = this.#session.view.lineAtCursor();
    const left = typedAt.outputBefore(text);
    noteLeftOfPrompt(this.#session, { text: left, isOutput: false });
    // Without the same prompt, output may be left of it as well.
    if (left === '' && typedAt.isWhole(text)) return result;
    const { foreground } = (await this.#session.activity()).evidence;
    const name = foreground?.name ?? null;
    const mayChange = isShell(name) || isRelay(name) || /ps1|prompt/i.test(this.#request.line);
    return mayChange ? { ...result, incomplete: true } : result;
  }

  /**
   * A line that starts a shell has not ended at the prompt of that shell. Behind ssh or another relay, the system does
   * not tell the two shells apart, and their prompts can be alike. One that replaces the shell keeps its process.
   */
  async #innerShell(result: Ended): Promise<Ended | null> {
    if (!startsShell(this.#request.line) || (result.exitCode ?? 0) !== 0) return null;
    const { foreground } = (await this.#session.activity()).evidence;
    const isRelayed = isRelay(foreground?.name ?? null);
    if (!isRelayed && !replacesShell(this.#request.line)) return null;
    const { statusFrom: _, ...rest } = result;
    const question = this.#session.view.lineAtCursor().text.trimEnd();
    return {
      ...rest,
      outcome: 'awaiting_input',
      exitCode: null,
      question,
      ...defined({ guess: isRelayed || undefined }),
    };
  }

  /** The command of a shell whose marks lack the nonce, if they also say where the cursor is. */
  #unverifiedSince(offset: number): CommandRecord | null {
    const { view } = this.#session;
    if (!view.isAtUnverifiedPrompt()) return null;
    const ended = view.commands.unverified?.endedAfter(offset) ?? null;
    return ended !== null && ended.from.offset >= offset ? ended : null;
  }

  /** Types the line, whose beginning is not marked. */
  async #detached(line: string): Promise<Ended> {
    const session = this.#session;
    const { mark } = await sendAndWait(session, {}, this.#clock, () => this.#typeLine(line));
    const { exitStatus, revision } = session;
    const { text: output, openEnd, gap } = nothing;
    const unknown = { command: null, exitCode: null };
    return { outcome: 'detached', ...unknown, output, openEnd, gap, exitStatus, mark, revision };
  }

  #outputOf(command: CommandRecord): LineOutput {
    const { firstBytes, maxLines, maxBytes, maxTokens } = this.#request;
    const isLimited = (maxLines ?? maxBytes ?? maxTokens) !== undefined;
    if (firstBytes === undefined || isLimited)
      return commandOutput(this.#shown, command, this.#request);
    return commandOutput(this.#shown, command, { keep: 'head', maxBytes: firstBytes });
  }

  get #asks(): boolean {
    return this.#request.asks ?? true;
  }

  /**
   * Types the line and waits for the prompt. Without bracketed paste, types one line after the other,
   * each when a program reads the next one: the terminal would echo them all at once.
   */
  async #typeAt({ by, typedAt }: Exclude<RunPrompt, { by: 'marks' }>, line: string) {
    const { view, bracketedPaste: pastes } = this.#session;
    const isWhole = by === 'screen' || pastes;
    const parts = isWhole ? [line] : line.split('\n');
    const last = parts.pop() ?? '';
    const typed: UnmarkedLine[] = [];
    for (const [index, text] of parts.entries()) {
      const { mark, end } = await this.#type(text, { by: 'next', asks: true });
      const endText = typedAt.outputBefore(view.lineAtCursor().text);
      typed.push({ mark, text, endLine: view.terminal.linePosition().line, endText, pastes });
      if (end.outcome === 'exited') return { end, typed };
      if (end.outcome === 'timed_out') {
        // They are read when the program reads again, as all of a paste is.
        const rest = [...parts.slice(index + 1), last];
        await this.#session.sendText(rest.map((each) => `${each}\r`).join(''), this.#nextPart());
        return { end, typed };
      }
    }
    const { mark, end } = await this.#type(last, { by: 'prompt', typedAt, asks: this.#asks });
    typed.push({ mark, text: last, endLine: 0, endText: '', pastes });
    return { end, typed };
  }

  /**
   * A bash or zsh inside of the session's shell has no key with which it takes a line as it is. Behind ssh or another
   * relay, any POSIX shell may read.
   */
  async #unexpanded(line: string, prompt: string): Promise<string> {
    if (!mayExpand(line)) return line;
    const { foreground } = (await this.#session.activity()).evidence;
    const name = foreground?.name ?? '';
    if (expandingShells.includes(name)) return evaluated(line);
    if (!isRelay(name)) return line;
    const reader = relayedReader(this.#session.view, prompt);
    this.#maybeExpanded = reader === 'unknown';
    return reader === 'posix' ? evaluatedAnywhere(line) : line;
  }

  /**
   * A terminal in canonical mode would cut a line over its limit, and the shell would run the beginning. Whether the
   * one at the other end of a relay is in that mode is unknown, unless its line editor has asked for pastes.
   *
   * @throws VtrError INPUT_TOO_LARGE
   */
  async #checkLength(line: string): Promise<void> {
    if (!hasLongLine(encodeUtf8(`${line}\r`)) || this.#session.bracketedPaste) return;
    const { canonical, foreground } = (await this.#session.activity()).evidence;
    if (canonical !== true && !isRelay(foreground?.name ?? null)) return;
    throw new VtrError(
      'INPUT_TOO_LARGE',
      `the line has more than ${maxLineBytes} bytes, and the program at the prompt has no line editor: the terminal ` +
        'would cut it; nothing was sent; write the line to a file and run that',
    );
  }

  #waitFor(ends: LineEnds): WaitRequest {
    const { promptPattern, signal } = this.#request;
    const isSoon = ends.by === 'begun' || ends.by === 'followed';
    return {
      timeoutMs: isSoon ? Math.min(beginMs, this.#leftMs()) : this.#leftMs(),
      ...defined({ promptPattern, signal }),
    };
  }

  /** Waits for the end of a line that was typed before. */
  #until(ends: LineEnds): Promise<LineEnd> {
    const session = this.#session;
    const query = () => session.activity();
    return waitForLine(session.view, this.#waitFor(ends), this.#clock, query, ends);
  }

  /** Types text and Enter, and waits for its end. */
  async #type(text: string, ends: LineEnds, onTyped = () => {}) {
    const session = this.#session;
    const request = this.#waitFor(ends);
    const query = () => session.activity();
    const { mark, wait } = await sendAndWait(
      session,
      { wait: request },
      this.#clock,
      async () => {
        const { outputEnd } = session.view;
        const receipt = await this.#typeLine(text);
        this.#typedFrom ??= outputEnd;
        onTyped();
        return receipt;
      },
      (request) => waitForLine(session.view, request, this.#clock, query, ends),
    );
    return { mark, end: wait as LineEnd };
  }

  /** Sends several lines as one paste if the shell supports it, so that they are one command. */
  async #typeLine(line: string): Promise<InputReceipt> {
    const session = this.#session;
    const by = this.#lineKey;
    const whole = by && lineAtOnce(line, by);
    if (whole !== null) return session.sendBytes(encodeUtf8(whole), this.#nextPart());
    const keys = by === null ? '' : keysBefore(line, by !== 'typed');
    if (keys !== '') {
      const key = session.sendBytes(encodeUtf8(keys), this.#nextPart());
      const [, receipt] = await Promise.all([key, this.#typeText(line)]);
      return receipt;
    }
    return this.#typeText(line);
  }

  async #typeText(line: string): Promise<InputReceipt> {
    const session = this.#session;
    if (this.#quotes) return session.sendBytes(encodeUtf8(quoted(line)), this.#nextPart());
    if (!session.bracketedPaste || !hasControls(line)) {
      return session.sendText(`${line}\r`, { paste: 'auto', ...this.#nextPart() });
    }
    return this.#typePasted(line);
  }

  /** Types a line and Enter; the line as a paste if the program takes one. */
  async #typePasted(line: string): Promise<InputReceipt> {
    const session = this.#session;
    if (!session.bracketedPaste) return session.sendText(`${line}\r`, this.#nextPart());
    const typed = session.sendText(line, { paste: 'always', ...this.#nextPart() });
    const [receipt] = await Promise.all([typed, session.sendText('\r', this.#nextPart())]);
    return receipt;
  }

  /**
   * Whether the shell at the prompt needs quotes to take several lines as one command: it supports no bracketed
   * paste, as bash before 5.1, or that is off. Then it would run them one by one, also those typed behind a
   * command that reads.
   */
  async #needsQuotes(line: string): Promise<boolean> {
    if (this.#session.bracketedPaste || !hasControls(line)) return false;
    const { foreground } = (await this.#session.activity()).evidence;
    return expandingShells.includes(foreground?.name ?? '');
  }

  #nextPart(): SendOptions & ObservedInput {
    const { onWritten } = this.#request;
    const inputId = partId(this.#request.inputId, this.#typedParts++);
    const id = inputId !== undefined && { inputId };
    return { ...senderOf(this.#request), ...id, ...defined({ onWritten }) };
  }
}
