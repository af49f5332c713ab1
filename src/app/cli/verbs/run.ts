import { basename } from 'node:path';
import { defined, durationText, ignored } from '#base';
import {
  type CommandOutput,
  type Coordinator,
  errorTable,
  exitClause,
  isShell,
  type PersonTyped,
  type ReadBudget,
  type RedactRequest,
  type RunResult,
  type Sender,
  VtrError,
} from '#model';
import { type JsonCoordinator, newInputId } from '#wire/service/short';
import { duration, type FlagValues, text, toggle } from '../arguments/flags.ts';
import { inputIdFlag, inputIdOf, senderFlags, senderOf } from '../arguments/sender-flags.ts';
import {
  budgetFlags,
  budgetOf,
  output,
  reach,
  redaction,
  redactOf,
  sessionArgument,
} from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { findSession } from '../coordinators/addressing.ts';
import { asksExit, unknownExit, waitExit } from '../exit-codes.ts';
import { asOwnDriver } from '../input/own-drive.ts';
import {
  firstBytes,
  printExactly,
  printRaw,
  printWhole,
  rawJson,
  tellGap,
  tellInvisible,
} from '../output/excerpt.ts';
import { tellMisplacedFlags } from '../output/misplaced-flags.ts';
import { printJson, redactedJson, tellRedacted, wantsJson } from '../output/printing.ts';
import { commandJson, excerptJson, exitJson } from '../output/session-json.ts';
import { askedText, noStatusText } from '../output/wait-text.ts';
import { StopSignals, signalStatus } from '../stop-signals.ts';
import { defineVerb } from '../verb.ts';

export const run = defineVerb({
  name: 'run',
  summary: "run a line in a session's shell, print its output and exit with its status",
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    ...redaction,
    timeout: duration('timeout, also for the prompt (default 30s); the command keeps running'),
    'prompt-pattern': text(
      'RE',
      'recognize prompts by RE, matched against the text before the cursor',
    ),
    'no-asks': toggle('continue to wait when the program waits for input'),
    'no-query': toggle('do not ask a shell behind ssh or without marks for the exit status'),
    detach: toggle('start the line, print its number and a mark, and exit'),
    raw: toggle('print the bytes that the command wrote'),
    ...senderFlags,
    ...inputIdFlag,
    ...budgetFlags,
  },
  rest: 'LINE',
  needsRest: true,
  blankRestHint: 'vtr key SESSION enter presses enter',
  details: [
    "Types LINE at the prompt, its words joined by spaces. Your own shell removes one level of quotes: quote LINE if the session's shell must see quotes. While something else runs, waits for the prompt, at most --timeout, and says so on stderr after a second. Several runs take turns, in the order in which they came.",
    'Sends nothing if no prompt appears in time. Fails at once if the program asks or uses the whole screen, or if text is already typed at the prompt.',
    'The prompt may be that of another program: a debugger, a REPL, a shell inside the shell. On Linux, the system reports which program reads the terminal. Elsewhere and over ssh, the text before the cursor must look like a prompt, or match --prompt-pattern. The exit status there:',
    [
      [
        'a shell',
        'vtr asks it by a line that leaves no trace on the screen (status_from in --json is query); behind ssh or in a container only if its prompt is one that only shells show, such as user@host:~$',
      ],
      [
        'another program',
        'it reports no exit status: vtr exits with 0 when its prompt is back, stderr says after each line that the exit status is unknown, and status in --json is unknown',
      ],
      ['otherwise', 'unknown, unless the line ends that program'],
    ],
    'Over ssh the output may be incomplete, and only the text before the cursor shows that a program asks; stderr reports both (incomplete and guess in --json). Inside a program that repaints its screen, such as tmux, the output is the new rows of the screen. At a pager it is the screen, if the line has printed nothing else.',
    'Ends when the program waits for input (a question, a password, a pager), and prints the question on stderr; answer with vtr send. A line that starts a shell, a debugger or another program with a prompt ends at that prompt: the next lines run there, until one of them ends it. --json has question, menu (the choices that are shown), program (the name of the program that asks), and guess: true if only the text before the cursor shows that it asks.',
    'If a person types in the session meanwhile, the output and the exit status may be by that. stderr says who did, and names the mark from which vtr read shows it (person in --json: name, since, mark).',
    'The first ctrl+c interrupts the line in the session, or cancels it if it waits for the prompt; a second one leaves it running.',
    'Prints the output as rendered text, without text that was overwritten. Tabs are kept unless overwritten. Invisible characters are kept, except before the first character of a line, and reported on stderr. A line of more than 256 KiB is split; --raw prints it as it was written.',
    'Exit status: that of the command, or:',
    [
      ['0', 'a program that is not a shell shows its prompt again'],
      [
        `${waitExit.exited}`,
        "nothing was sent (no empty prompt was shown, or the session has ended or is read-only), or the session's program exited; stderr says which",
      ],
      [`${waitExit.timed_out}`, 'timed out'],
      [`${unknownExit}`, 'the status of the command is unknown; stderr says why'],
      [`${asksExit}`, 'the program waits for input'],
      [
        `${errorTable.NOT_DRIVER.exit}`,
        'a person types in the session: nothing was sent, or not all of the line; stderr says which',
      ],
      ['130', 'interrupted'],
      ['141', 'the reader of stdout has gone'],
    ],
    'A command can exit with these numbers, too. --json tells them apart: it prints a result only if the line was sent.',
  ],
  examples: [
    { line: 'vtr run shell -- make test --timeout=5', about: 'run a line that has flags' },
    {
      line: `vtr run shell --timeout 10m -- 'cd src && grep -rn "a b" .'`,
      about: 'quote shell syntax',
    },
    { line: 'vtr run repl -- "2**100"', about: 'use a program other than a shell' },
    {
      line: 'vtr run shell --detach -- npm run build',
      about: 'start a line without waiting for its end',
    },
  ],
  async run(context, { args, flags, rest }) {
    const budget = budgetOf(flags);
    checkDetach(flags);
    const { coordinator, session, shown } = await findSession(context, args.session, flags);
    const { timeout: timeoutMs, 'prompt-pattern': promptPattern, detach } = flags;
    const leave = new AbortController();
    const { inputId = newInputId() } = inputIdOf(flags);
    const asJson = await wantsJson(context, flags);
    const request = {
      signal: leave.signal,
      line: (rest ?? []).join(' '),
      inputId,
      ...budget,
      ...(asJson ? {} : { firstBytes }),
      ...defined({ timeoutMs, promptPattern }),
      ...(flags['no-asks'] ? { asks: false } : {}),
      ...(flags['no-query'] ? { query: false } : {}),
      ...defined({ detach: detach || undefined }),
      ...redactOf(flags),
    };
    const taken = { coordinator, session };
    const running = asOwnDriver(context, taken, flags.epoch, (epoch) =>
      coordinator.run(session, { ...request, ...senderOf({ epoch }, 'vtr run') }),
    );
    const { result, isInterrupted } = await untilInterrupted(
      context,
      { ...taken, shown },
      inputId,
      running,
      senderOf(flags, 'vtr run'),
    );
    if (result === null) {
      leave.abort();
      return signalStatus('SIGINT');
    }
    const limits = { ...budget, ...redactOf(flags) };
    const raw = flags.raw ? await rawOf(coordinator, session, result, limits) : null;
    if (asJson) printJson(context, runJson(session, result, raw));
    else {
      const unknown = await whyUnknown(coordinator, session, result);
      const isOfCommand = result.command !== null && result.source !== 'screen';
      const isCut = raw === null && result.output.omitted !== null && isOfCommand;
      if (isCut && Object.keys(budget).length === 0) {
        const { number: command } = result.command;
        const first = { ...result, text: result.output };
        await printWhole(context, coordinator, session, { command, ...redactOf(flags) }, first);
      } else printRunOutput(context, shown, result, budget, raw);
      tellRun(context, shown, result, {
        unknown,
        exited: await whoExited(coordinator, session, result),
      });
    }
    const { head, tail } = result.output;
    const failed = result.exitCode === null || result.exitCode === 0 ? null : `${head}\n${tail}`;
    tellMisplacedFlags(context, 'vtr run', Object.keys(flags), rest ?? [], failed);
    return isInterrupted ? signalStatus('SIGINT') : statusOf(result);
  },
});

/** Refuses the flags about output for a line whose output is not printed. @throws VtrError INVALID_ARGUMENT */
function checkDetach(
  flags: FlagValues<typeof budgetFlags> & { readonly raw: boolean; readonly detach: boolean },
): void {
  const names = ['raw', 'head', 'tail', 'both', 'max-bytes', 'max-tokens'] as const;
  const shown = names.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (!flags.detach || shown === undefined) return;
  throw new VtrError('INVALID_ARGUMENT', `--${shown} and --detach cannot be used together`);
}

/** How long an interrupted line may take to end, in ms. */
const interruptedMs = 2_000;

/** How long a run may wait for the prompt before stderr says so, in ms. */
const waitedMs = 1_000;

interface RunTarget {
  readonly coordinator: Pick<Coordinator, 'activity' | 'sendKeys'>;
  readonly session: string;
  readonly shown: string;
}

/** Returns what runs in the session if the line is not typed yet; null if it is, or if that is unknown. */
async function waitsFor(
  { coordinator, session }: RunTarget,
  inputId: string,
): Promise<string | null> {
  const activity = await coordinator.activity(session).catch(() => null);
  if (activity?.waitingRuns?.includes(inputId) !== true) return null;
  const isFirst = activity.waitingRuns[0] === inputId;
  const name = activity.evidence.foreground?.name ?? 'a program';
  return isFirst ? `${name} is running` : `${name} is running, and other runs came first`;
}

/**
 * Waits for the end of the line. SIGINT interrupts it in the session, or cancels it if it is not typed yet; a second
 * one ends vtr.
 *
 * @returns the result, null if the line goes on after the interrupt or is cancelled
 */
async function untilInterrupted(
  context: Context,
  target: RunTarget,
  inputId: string,
  running: Promise<RunResult>,
  sender: Sender,
): Promise<{ result: RunResult | null; isInterrupted: boolean }> {
  const { coordinator, session, shown } = target;
  const stop = interruptOf(context);
  let isOver = false;
  const timer = setTimeout(async () => {
    const what = await waitsFor(target, inputId);
    if (what !== null && !isOver) context.say(`session ${shown}: waiting for the prompt; ${what}`);
  }, waitedMs);
  try {
    const first = await Promise.race([running, stop.received]);
    isOver = true;
    if (typeof first !== 'string') return { result: first, isInterrupted: false };
    if ((await waitsFor(target, inputId)) !== null) {
      context.say(`session ${shown}: cancelled; nothing was typed`);
      return { result: null, isInterrupted: true };
    }
    await coordinator.sendKeys(session, ['ctrl+c'], sender);
    const tooLong = new Promise<null>((resolve) => {
      setTimeout(() => resolve(null), interruptedMs).unref();
    });
    const result = await Promise.race([running, tooLong]);
    if (result === null) context.say(`session ${shown}: interrupted; the line continues to run`);
    return { result, isInterrupted: true };
  } finally {
    isOver = true;
    clearTimeout(timer);
    stop.dispose();
    ignored(running, 'nobody waits for it after an interrupt');
  }
}

/** Waits for ctrl+c of whoever runs the command. */
function interruptOf({ inDaemon }: Context): Pick<StopSignals, 'received' | 'dispose'> {
  if (inDaemon === undefined) return new StopSignals(['SIGINT']);
  return { received: inDaemon.interrupted.then(() => 'SIGINT' as const), dispose: () => {} };
}

/** Returns the bytes that the command wrote. @throws VtrError COMMAND_NOT_FOUND */
async function rawOf(
  coordinator: Pick<Coordinator, 'commandOutput'>,
  session: string,
  { command }: RunResult,
  request: ReadBudget & RedactRequest,
): Promise<CommandOutput> {
  if (command === null) {
    const problem = 'the shell has no shell integration, so the bytes of the command are unknown';
    throw new VtrError('COMMAND_NOT_FOUND', `session ${session}: ${problem}; use vtr read --raw`);
  }
  return coordinator.commandOutput(session, { ...request, command: command.number, format: 'raw' });
}

/** Returns the reason for an unknown exit status. */
async function whyUnknown(
  coordinator: Pick<JsonCoordinator, 'commands'>,
  session: string,
  { outcome }: RunResult,
): Promise<string> {
  const unreported = 'the shell did not report it';
  if (outcome !== 'prompt') return unreported;
  // The session may have been removed.
  const list = await coordinator.commands(session, { last: 1 }).catch(() => null);
  if (list === null) return unreported;
  const { commands, integration, integrationReason } = list;
  if (integration === 'none') {
    return `no shell integration${integrationReason === undefined ? '' : `: ${integrationReason}`}`;
  }
  if (integration === 'self') return 'the marks of the shell are unverified, and do not report it';
  return commands[0]?.state === 'running'
    ? 'the program at the prompt does not report it'
    : 'the line ran no command';
}

/** Returns the program whose exit ended a line: the shell, or its name if it is another one. */
async function whoExited(
  coordinator: Pick<JsonCoordinator, 'info'>,
  session: string,
  { outcome }: RunResult,
): Promise<string> {
  if (outcome !== 'exited') return 'the shell';
  // The session may have been removed.
  const info = await coordinator.info(session).catch(() => null);
  const name = info === null ? null : basename(info.program);
  return name === null || isShell(name) ? 'the shell' : name;
}

function printRunOutput(
  context: Context,
  shown: string,
  result: RunResult,
  budget: ReadBudget,
  raw: CommandOutput | null,
): void {
  const gap = raw?.gap ?? result.gap;
  const { head, tail, omitted } = result.output;
  const printed = head.split('\n').length + tail.split('\n').length + (omitted?.lines ?? 0);
  tellGap(context, gap, `vtr screen ${shown} --scrollback ${(gap.earlier ?? 0) + printed}`);
  if (raw?.raw !== undefined) printRaw(context, raw.raw);
  else {
    printExactly(context, result.output, result.openEnd, budget);
    tellInvisible(context, `${result.output.head}${result.output.tail}`);
  }
  tellRedacted(context, raw ?? result);
}

/**
 * @param unknown the reason for an unknown exit status
 * @param exited the program that exited, if that ended the line
 */
function tellRun(
  context: Context,
  shown: string,
  result: RunResult,
  { unknown, exited }: { readonly unknown: string; readonly exited: string },
): void {
  const { outcome, timeoutMs, exitCode, exitStatus } = result;
  const say = (what: string) => context.say(`session ${shown}: ${what}`);
  if (result.source === 'screen') say('the output is the new rows of the screen');
  if (result.incomplete) say('output may be incomplete');
  if (result.person !== undefined) {
    const { name, mark } = result.person;
    say(
      `${name} typed in the session meanwhile; vtr read ${shown} --since ${mark} shows what was done`,
    );
  }
  switch (outcome) {
    case 'timed_out':
      say(`timed out after ${durationText(timeoutMs)}; the command is still running`);
      break;
    case 'detached':
      printStarted(context, result);
      break;
    case 'interrupted':
      say('not all of the line was typed, because a person typed');
      break;
    case 'awaiting_input':
    case 'password':
      say(askedText(shown, result));
      break;
    case 'exited':
      if (exitStatus !== null) say(`${exited} ${exitClause(exitStatus)}`);
      break;
    default:
      if (result.program !== undefined) {
        say(noStatusText(result.program, result.isFirstAtProgram ?? false));
      } else if (exitCode === null) say(`exit status unknown: ${unknown}`);
      else if (result.command?.unverified) say(unverifiedText);
  }
}

const unverifiedText =
  'exit status unverified: the marks of the shell lack the proof of shell integration';

function printStarted(context: Context, { command, mark }: RunResult): void {
  if (command !== null) context.out(`command ${command.number}\n`);
  context.out(`mark ${mark}\n`);
}

function statusOf({ outcome, exitCode, program }: RunResult): number {
  if (outcome === 'timed_out' || outcome === 'exited') return waitExit[outcome];
  if (outcome === 'interrupted') return errorTable.NOT_DRIVER.exit;
  if (outcome === 'awaiting_input' || outcome === 'password') return asksExit;
  if (outcome === 'detached' || (exitCode === null && program !== undefined)) return 0;
  return exitCode ?? unknownExit;
}

const personJson = ({ name, sinceMs, mark }: PersonTyped) => ({
  name,
  since: new Date(sinceMs).toISOString(),
  mark,
});

const runJson = (session: string, result: RunResult, raw: CommandOutput | null) => ({
  name: session,
  outcome: result.outcome,
  command_exit_code: result.exitCode,
  status: result.exitCode === null ? 'unknown' : 'known',
  status_from: result.statusFrom ?? null,
  program: result.program ?? null,
  asks_for_rest: result.asksForRest ?? false,
  command: result.command && commandJson(result.command),
  output: excerptJson(result.output),
  ...(raw?.raw === undefined ? {} : { raw: rawJson(raw.raw) }),
  source: result.source ?? 'lines',
  incomplete: result.incomplete ?? false,
  question: result.question ?? null,
  guess: result.guess ?? false,
  menu: result.menu ?? null,
  open_end: result.openEnd,
  gap: result.gap,
  ...exitJson(result.exitStatus),
  timed_out: result.outcome === 'timed_out',
  mark: result.mark,
  driver_epoch: result.driverEpoch ?? null,
  person: result.person === undefined ? null : personJson(result.person),
  timeout_ms: result.timeoutMs,
  elapsed_ms: Math.round(result.elapsedMs),
  revision: result.revision,
  ...redactedJson(raw ?? result),
});
