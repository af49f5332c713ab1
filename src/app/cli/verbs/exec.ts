import { durationText } from '#base';
import {
  asVtrError,
  type ExitStatus,
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
import type { Context } from '../context.ts';
import { coordinatorForSession } from '../coordinators/addressing.ts';
import { tellNotPassed } from '../coordinators/caller.ts';
import { clientOf } from '../coordinators/known-coordinators.ts';
import { spawnAt } from '../coordinators/with-daemon.ts';
import { waitExit } from '../exit-codes.ts';
import { tellInvisible } from '../output/excerpt.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { counted } from '../output/plain-text.ts';
import { exitClause, exitJson } from '../output/session-json.ts';
import { StopSignals, signalStatus } from '../stop-signals.ts';
import { defineVerb } from '../verb.ts';

const flags = {
  ...reach,
  ...output,
  name: text('NAME', 'session name (default: generated)'),
  ...programFlags,
  timeout: duration('time limit of the program (default: none)'),
  keep: toggle('keep the session'),
};

export const exec = defineVerb({
  name: 'exec',
  summary: 'run a program in a new session, print its output and exit with its status',
  args: {},
  flags,
  rest: 'PROGRAM ARGS...',
  details: [
    'For scripts. The program runs in a terminal. When it exits, its output is printed as text: all lines kept, and the alternate screen if that is shown at the exit. The program receives no input unless vtr send types into its session (see --name). The session is removed at the end, also after an interrupt or a timeout.',
    environmentDetails,
    `Exit status: that of the program, or 128 + n if signal n ended it; ${waitExit.timed_out} timed out. A program can exit with ${waitExit.timed_out} too; --json distinguishes them.`,
  ],
  examples: [
    { line: 'vtr exec -- make test', about: 'run make as in a terminal' },
    { line: 'vtr exec --timeout 1m --env CI=1 -- npm test', about: 'allow one minute' },
    { line: `vtr exec --cmd 'make | tail -5'`, about: 'run a shell line' },
    { line: `vtr exec -- sh -c 'tput cols; exit 3'`, about: 'exit with status 3' },
  ],
  async run(context, { flags: given, rest }) {
    const place = await coordinatorForSession(context, given.name, given);
    const request = requestOf(context, given, rest ?? [], place);
    const asJson = await wantsJson(context, given);
    const stop = new StopSignals();
    try {
      const spawned = await spawnAt(context, place.coordinator, request, true);
      if (!asJson) tellNotPassed(context, spawned);
      const { name, id } = spawned;
      const running = new Running(clientOf(context, place.coordinator), { name, id });
      return await follow(context, running, stop, given, asJson);
    } finally {
      stop.dispose();
    }
  },
});

/** @throws VtrError INVALID_ARGUMENT */
function requestOf(
  context: Context,
  given: FlagValues<typeof flags>,
  rest: readonly string[],
  { coordinator, session: name }: Awaited<ReturnType<typeof coordinatorForSession>>,
): CommandRequest {
  const program = programOf(context, given, rest, coordinator.socket);
  if (program.program === undefined && program.command === undefined) {
    throw new VtrError('INVALID_ARGUMENT', 'missing PROGRAM after --, or --cmd LINE');
  }
  return {
    ...program,
    shellIntegration: false,
    ...(name === undefined ? {} : { name }),
    ...(given.size === undefined ? {} : { size: given.size }),
  };
}

/**
 * Waits for the exit, removes the session, and prints the output, whose reader may have left: then this
 * process ends at once.
 *
 * @returns the exit status
 */
async function follow(
  context: Context,
  running: Running,
  stop: StopSignals,
  { keep, timeout }: FlagValues<typeof flags>,
  asJson: boolean,
): Promise<number> {
  const { name } = running.session;
  const ended = await outcomeOf(running, stop, timeout).finally(async () => {
    if (!keep) await running.remove();
  });
  if (typeof ended !== 'string') {
    if (asJson) printJson(context, execJson(name, ended.end, ended.printed));
    else printEnd(context, name, ended.end, ended.printed);
  }
  if (keep) context.say(`kept session ${name}`);
  if (typeof ended === 'string') return signalStatus(ended);
  const { exitStatus } = ended.end;
  return exitStatus === null ? waitExit.timed_out : statusOf(exitStatus);
}

/** Returns how the program ended and what it printed; the signal that ends this process before that. */
async function outcomeOf(running: Running, stop: StopSignals, timeoutMs: number | undefined) {
  const end = await Promise.race([running.end(timeoutMs), stop.received]);
  return typeof end === 'string' ? end : { end, printed: await running.output() };
}

interface Printed {
  readonly text: string;
  /** The number of first lines that were no longer kept. */
  readonly dropped: number;
}

/** A program in a session that this command created. */
class Running {
  readonly #coordinator: JsonCoordinator;
  readonly session: Exclude<SessionRef, string>;

  constructor(coordinator: JsonCoordinator, session: Exclude<SessionRef, string>) {
    this.#coordinator = coordinator;
    this.session = session;
  }

  /** Waits for the exit, at most `limitMs`. */
  async end(limitMs = Number.POSITIVE_INFINITY): Promise<WaitResult> {
    for (let leftMs = limitMs; ; leftMs -= maxWaitMs) {
      const request = { timeoutMs: Math.min(leftMs, maxWaitMs), tail: { maxLines: 0 } };
      const result = await this.#coordinator.wait(this.session, request);
      if (result.outcome === 'exited' || leftMs <= maxWaitMs) return result;
    }
  }

  /** Returns the lines of the primary screen, and the alternate screen if it is shown. */
  async output(): Promise<Printed> {
    const { lines, firstLine } = await this.#coordinator.readLines(this.session);
    const screen = await this.#coordinator.screen(this.session);
    const texts = lines.map((line) => line.text);
    if (screen.alternate) {
      const last = screen.text.findLastIndex((row) => row !== '');
      texts.push(...screen.text.slice(0, last + 1));
    }
    // If the cursor is not at the start of a line, the last line has no line end.
    const lineEnd = texts.length === 0 || screen.cursor.col > 0 ? '' : '\n';
    return { text: texts.join('\n') + lineEnd, dropped: firstLine };
  }

  async remove(): Promise<void> {
    try {
      await this.#coordinator.remove(this.session);
    } catch (error) {
      // Another client removed it first.
      if (asVtrError(error).code !== 'SESSION_NOT_FOUND') throw error;
    }
  }
}

function printEnd(context: Context, name: string, end: WaitResult, printed: Printed): void {
  const { exitStatus } = end;
  if (printed.dropped > 0) {
    context.say(`lost before the read: ${counted(printed.dropped, 'line')}`);
  }
  context.out(printed.text);
  tellInvisible(context, printed.text);
  if (exitStatus === null) {
    context.say(`session ${name}: timed out after ${durationText(end.timeoutMs)}`);
  } else if (exitStatus.signal !== null) {
    context.say(`session ${name}: the program ${exitClause(exitStatus)}`);
  }
}

const statusOf = ({ code, signal }: ExitStatus): number => code ?? signalStatus(signal ?? '');

const execJson = (name: string, end: WaitResult, { text: printed, dropped }: Printed) => ({
  name,
  ...exitJson(end.exitStatus),
  timed_out: end.exitStatus === null,
  output: printed,
  dropped_lines: dropped,
  elapsed_ms: Math.round(end.elapsedMs),
});
