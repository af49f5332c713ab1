import { defined, durationText, ignored } from '#base';
import { clientOptions } from '#config';
import {
  asVtrError,
  counted,
  defaultSize,
  type ExitStatus,
  exitClause,
  isAddress,
  maxWaitMs,
  type SessionRef,
  VtrError,
  type WaitResult,
} from '#model';
import type { CommandRequest, JsonCoordinator } from '#wire/service/short';
import { duration, type FlagValues, text, toggle } from '../arguments/flags.ts';
import {
  environmentDetails,
  output,
  programFlags,
  programOf,
  reach,
} from '../arguments/shared-flags.ts';
import { tellNotPassed } from '../caller.ts';
import type { Context } from '../context.ts';
import { coordinatorForSession } from '../coordinators/addressing.ts';
import { clientOf } from '../coordinators/known-coordinators.ts';
import { spawnAt } from '../coordinators/with-daemon.ts';
import { asksExit, waitExit } from '../exit-codes.ts';
import {
  isInPipeline,
  isPiped,
  maxLineBytes,
  PipedInput,
  withoutEcho,
} from '../input/piped-input.ts';
import { InvisibleCharacters } from '../output/excerpt.ts';
import { flushed, followedOutput } from '../output/followed-output.ts';
import { refusalLength, tellMisplacedFlags } from '../output/misplaced-flags.ts';
import { printJson, wantsJson } from '../output/printing.ts';
import { exitJson } from '../output/session-json.ts';
import { askedText } from '../output/wait-text.ts';
import { StopSignals, signalStatus } from '../stop-signals.ts';
import { defineVerb } from '../verb.ts';

/** Programs fit their tables and progress to the width; agents and scripts do not look at a screen. */

const flags = {
  ...reach,
  ...output,
  name: text('NAME', 'session name (default: generated)'),
  ...programFlags,
  timeout: duration('time limit of the program (default: none)'),
  stdin: toggle('type stdin into the program, even if it is empty or comes later'),
  'no-asks': toggle('continue when the program waits for input'),
  keep: toggle('keep the session'),
};

/**
 * How long a session stays while no call of this process is under way, in ms. It may have been killed; a restart of the
 * daemon, or a new connection to another machine, takes less.
 */
const unattendedMs = ({ socket }: { readonly socket: string }): number =>
  isAddress(socket) ? 5 * 60_000 : 15_000;

/** With these, programs print all of their output in place of pages. */
const pagers = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GH_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  AWS_PAGER: 'cat',
  BAT_PAGER: 'cat',
  DELTA_PAGER: 'cat',
  PSQL_PAGER: 'cat',
};

export const exec = defineVerb({
  name: 'exec',
  summary: 'run a program in a new session, print its output and exit with its status',
  args: {},
  flags,
  rest: 'PROGRAM ARGS...',
  details: [
    'For scripts. The program runs in a terminal. Its output is printed as text while it runs, at any length, without text that was overwritten. A line is printed when it has left the screen, or is above the cursor and does not change; the rest is printed at the exit, including the alternate screen if that is shown. If the program changes a printed line later, that line and those below it are printed again. Invisible characters are kept, except before the first character of a line.',
    'If the reader of stdout is slow, the program waits. Pagers are off: PAGER, GIT_PAGER and similar variables are cat unless --env sets them.',
    'Data in a file or pipe at stdin is typed into the program, without echo, and then the end of file. vtr waits for data from another command of the same pipeline. Any other pipe may stay open and silent: if its data does not come at once, --stdin is needed. On macOS, that applies to every pipe. A terminal that reads lines passes on at most 4095 bytes of each; stderr and cut_input_lines in JSON report how many lines were longer.',
    'Without data, a program that waits for input ends vtr. stderr has the question, the name of the program and how to leave it (question, program and guess in JSON; guess is true if only the text before the cursor shows that it asks). With --no-asks, vtr keeps waiting, and vtr send can answer (see --name).',
    `The terminal has ${clientOptions.defaults.execCols.default} columns and ${defaultSize.rows} rows, unless --size, or exec_cols in config.toml, says otherwise.`,
    environmentDetails,
    'At the end, the program is ended and the session removed, even after an interrupt, a timeout or a question. If vtr itself is killed, that happens within 15 seconds, or 5 minutes at an address.',
    `Exit status: that of the program, or 128 + n if signal n ended it; ${asksExit} the program waits for input; ${waitExit.timed_out} timed out; 141 the reader of stdout has gone. A program can exit with these numbers too; --json distinguishes them.`,
  ],
  examples: [
    { line: 'vtr exec -- make test', about: 'run make as in a terminal' },
    { line: 'vtr exec --timeout 1m --env CI=1 -- npm test', about: 'allow one minute' },
    { line: `vtr exec --cmd 'make | tail -5'`, about: 'run a shell line' },
    { line: `vtr exec -- sh -c 'tput cols; exit 3'`, about: 'exit with status 3' },
    { line: 'echo yes | vtr exec -- ./setup', about: 'answer a question' },
  ],
  async run(context, { flags: values, rest }) {
    const place = await coordinatorForSession(context, values.name, values);
    const { execCols: cols } = await context.config();
    const size = values.size ?? { ...defaultSize, cols };
    const lifetime = values.keep
      ? {}
      : { lifetime: { unattendedMs: unattendedMs(place.coordinator) } };
    const request = { ...requestOf(context, values, rest ?? [], place), size, ...lifetime };
    const asJson = await wantsJson(context, values);
    const input = values.stdin || isPiped() ? new PipedInput() : null;
    await input?.begin();
    const isSilent = input?.isOpen === true && !input.hasBytes;
    const stdin = values.stdin || (isSilent && (await isInPipeline()));
    const isTyped = input !== null && (stdin || input.hasBytes);
    const stop = new StopSignals();
    try {
      const started = isTyped ? withoutEcho(request) : request;
      const spawned = await spawnAt(context, place.coordinator, started, { mayStart: true });
      if (!asJson) tellNotPassed(context, spawned);
      const { name, id } = spawned;
      const running = new Running(context, clientOf(context, place.coordinator), { name, id });
      const status = await running.follow({ ...values, stdin, stop, input, asJson });
      const failed = status === 0 ? null : running.lastOutput;
      tellMisplacedFlags(context, 'vtr exec', Object.keys(flags), rest ?? [], failed);
      return status;
    } finally {
      input?.close();
      stop.dispose();
    }
  },
});

/** @throws VtrError INVALID_ARGUMENT */
function requestOf(
  context: Context,
  values: FlagValues<typeof flags>,
  rest: readonly string[],
  { coordinator, session: name }: Awaited<ReturnType<typeof coordinatorForSession>>,
): CommandRequest {
  const program = programOf(context, values, rest, coordinator.socket);
  if (program.program === undefined && program.command === undefined) {
    throw new VtrError('INVALID_ARGUMENT', 'missing PROGRAM after --, or --cmd LINE');
  }
  return {
    ...program,
    env: { ...pagers, ...program.env },
    shellIntegration: false,
    ...defined({ name }),
  };
}

/** The status of a program that SIGPIPE ends. */
const readerGoneStatus = signalStatus('SIGPIPE');

interface FollowOptions
  extends Pick<FlagValues<typeof flags>, 'keep' | 'timeout' | 'stdin' | 'no-asks'> {
  readonly stop: StopSignals;
  readonly input: PipedInput | null;
  readonly asJson: boolean;
}

/** Why vtr ends: how the program ended or waits, a signal, or the reader of stdout has gone. */
type End = WaitResult | NodeJS.Signals | 'reader gone';

/** A program in a session that this command created. */
class Running {
  readonly #context: Context;
  readonly #coordinator: JsonCoordinator;
  readonly #session: Exclude<SessionRef, string>;
  /** With `--json`, the text so far. */
  readonly #texts: string[] = [];
  readonly #invisible = new InvisibleCharacters();
  /** The end of what was printed. */
  lastOutput = '';
  #nextLine = 0;
  /** The lines before it that the program may still change, as they were printed. */
  #shown: readonly string[] = [];
  #lostLines = 0;
  readonly #leave = new AbortController();

  constructor(
    context: Context,
    coordinator: JsonCoordinator,
    session: Exclude<SessionRef, string>,
  ) {
    this.#context = context;
    this.#coordinator = coordinator;
    this.#session = session;
  }

  /** Prints the output until the end, removes the session, and returns the exit status. */
  async follow(options: FollowOptions): Promise<number> {
    const { keep, asJson } = options;
    const context = this.#context;
    const { name } = this.#session;
    const end = await this.#output(options).finally(async () => {
      this.#leave.abort();
      if (!keep) await this.#remove();
    });
    if (typeof end !== 'string') {
      const cutLines = options.input?.cutLines ?? 0;
      const output = { printed: this.#texts.join(''), lostLines: this.#lostLines, cutLines };
      if (asJson) printJson(context, execJson(name, end, output));
      else {
        if (cutLines > 0) context.say(cutText(cutLines));
        this.#tellEnd(end, keep);
      }
    }
    if (keep) context.say(`kept session ${name}`);
    if (end === 'reader gone') return readerGoneStatus;
    if (typeof end === 'string') return signalStatus(end);
    if (end.exitStatus !== null) return statusOf(end.exitStatus);
    return isQuestion(end) ? asksExit : waitExit.timed_out;
  }

  async #output({ stop, input, asJson, ...options }: FollowOptions): Promise<End> {
    const gone = new Promise<'reader gone'>((resolve) => {
      this.#context.onReaderGone(() => resolve('reader gone'));
    });
    const typing = input?.typeInto(this.#coordinator, this.#session, options.stdin);
    typing?.catch((error) => this.#context.say(asVtrError(error).message));
    const end = this.#end(
      options,
      () => input?.isOpen === true && (options.stdin || input.hasBytes),
    );
    // Without input, one wait lasts until the end.
    if (input !== null) void this.#attend();
    const printing = this.#print(asJson);
    const first = await Promise.race([
      Promise.all([end, printing]).then(([ended]) => ended),
      end.then((ended) => (ended.outcome === 'exited' ? printing.then(() => ended) : ended)),
      printing.then(() => end),
      stop.received,
      gone,
    ]);
    if (typeof first === 'string' || first.outcome === 'exited') return first;
    this.#leave.abort();
    await ignored(printing, 'it is aborted, and the rest is printed next');
    await this.#printRest(asJson);
    return first;
  }

  /** Keeps a call under way, also while this process is stopped (ctrl+z): the others end from time to time. */
  async #attend(): Promise<void> {
    const request = { timeoutMs: maxWaitMs, tail: { maxLines: 0 }, signal: this.#leave.signal };
    const isOver = () => this.#leave.signal.aborted;
    while (!isOver()) {
      const end = await this.#coordinator.wait(this.#session, request).catch(() => null);
      if (end?.outcome !== 'timed_out') return;
    }
  }

  /** Waits for the exit, at most the time limit, or until the program waits for input. */
  async #end(
    {
      timeout = Number.POSITIVE_INFINITY,
      'no-asks': noAsks,
    }: Omit<FollowOptions, 'stop' | 'input' | 'asJson'>,
    isTyping: () => boolean,
  ): Promise<WaitResult> {
    for (let leftMs = timeout; ; ) {
      const asks = !noAsks && !isTyping();
      // While vtr types, a program that waits for more of it does not ask.
      const mostMs = noAsks || asks ? maxWaitMs : typingMs;
      const timeoutMs = Math.min(leftMs, mostMs);
      const request = { timeoutMs, tail: { maxLines: 0 }, signal: this.#leave.signal };
      const result = await this.#coordinator.wait(
        this.#session,
        asks ? { ...request, asks } : request,
      );
      if (result.outcome !== 'timed_out') return result;
      leftMs -= timeoutMs;
      if (leftMs <= 0) return { ...result, timeoutMs: timeout };
    }
  }

  async #print(asJson: boolean): Promise<void> {
    const { signal } = this.#leave;
    const parts = followedOutput(this.#coordinator, this.#session, { isFinal: true, signal });
    for await (const { text: printed, nextLine, lostLines, shown } of parts) {
      this.#nextLine = nextLine;
      this.#shown = shown;
      this.#lostLines += lostLines;
      if (lostLines > 0)
        this.#context.say(`lost before they were read: ${counted(lostLines, 'line')}`);
      this.#show(printed, asJson);
      await flushed(this.#context, () =>
        this.#coordinator.follow(this.#session, { from: nextLine }),
      );
    }
  }

  #show(printed: string, asJson: boolean): void {
    this.lastOutput = `${this.lastOutput}${printed.slice(-refusalLength)}`.slice(-refusalLength);
    if (asJson) {
      this.#texts.push(printed);
      return;
    }
    this.#context.out(printed);
    this.#invisible.add(printed);
  }

  /** Prints the lines that the program may still change, and the alternate screen if it is shown. */
  async #printRest(asJson: boolean): Promise<void> {
    const begin = this.#nextLine - this.#shown.length;
    const all = await this.#coordinator.readLines(this.#session, { from: begin });
    const isNew = ({ number, text: now }: { readonly number: number; readonly text: string }) =>
      number >= this.#nextLine || now !== this.#shown[number - begin];
    const firstNew = all.lines.findIndex(isNew);
    const lines = firstNew < 0 ? [] : all.lines.slice(firstNew);
    const screen = await this.#coordinator.screen(this.#session);
    const texts = lines.map((line) => line.text);
    if (screen.alternate) {
      const last = screen.text.findLastIndex((row) => row !== '');
      texts.push(...screen.text.slice(0, last + 1));
    }
    if (texts.length === 0) return;
    // If the cursor is not at the start of a line, the last line has no line end.
    this.#show(texts.join('\n') + (screen.cursor.col > 0 ? '' : '\n'), asJson);
  }

  #tellEnd(end: WaitResult, keep: boolean): void {
    const say = (what: string) => this.#context.say(`session ${this.#session.name}: ${what}`);
    this.#invisible.tell(this.#context);
    const { exitStatus } = end;
    if (exitStatus !== null) {
      if (exitStatus.signal !== null) say(`the program ${exitClause(exitStatus)}`);
      return;
    }
    if (!isQuestion(end)) {
      say(`timed out after ${durationText(end.timeoutMs)}`);
      return;
    }
    const { name } = this.#session;
    say(end.outcome === 'prompt' ? shellText : askedText(keep ? name : null, end));
    const answer = keep
      ? `answer with vtr send ${name}`
      : 'the program was ended; pipe the answer to vtr exec, or start it with vtr spawn';
    this.#context.say(answer);
  }

  async #remove(): Promise<void> {
    try {
      await this.#coordinator.remove(this.#session);
    } catch (error) {
      // Another client removed it first.
      if (asVtrError(error).code !== 'SESSION_NOT_FOUND') throw error;
    }
  }
}

/** How soon vtr notices that it has typed everything, in ms. */
const typingMs = 500;

const isQuestion = ({ outcome }: WaitResult): boolean =>
  outcome === 'awaiting_input' || outcome === 'password' || outcome === 'prompt';

const shellText = 'the program is a shell at its prompt, and waits for input';

const statusOf = ({ code, signal }: ExitStatus): number => code ?? signalStatus(signal ?? '');

const cutText = (lines: number): string =>
  `${counted(lines, 'line')} of stdin: the terminal passed on only the first ${maxLineBytes} bytes`;

interface Told {
  readonly printed: string;
  readonly lostLines: number;
  readonly cutLines: number;
}

const execJson = (name: string, end: WaitResult, { printed, lostLines, cutLines }: Told) => ({
  name,
  ...exitJson(end.exitStatus),
  timed_out: end.outcome === 'timed_out',
  awaiting_input: isQuestion(end),
  question: end.question ?? null,
  guess: end.guess ?? false,
  program: end.program ?? null,
  output: printed,
  dropped_lines: lostLines,
  cut_input_lines: cutLines,
  elapsed_ms: Math.round(end.elapsedMs),
});
