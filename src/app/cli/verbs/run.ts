import { durationText } from '#base';
import {
  type CommandOutput,
  type Coordinator,
  type ReadBudget,
  type RunResult,
  VtrError,
} from '#model';
import type { JsonCoordinator } from '#wire/service/short';
import { duration, text, toggle } from '../arguments/flags.ts';
import {
  budgetFlags,
  budgetOf,
  output,
  reach,
  sessionArgument,
} from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { findSession } from '../coordinators/addressing.ts';
import { unknownExit, waitExit } from '../exit-codes.ts';
import { commandJson, excerptJson } from '../output/command-json.ts';
import { printExactly, printRaw, rawJson, tellGap, tellInvisible } from '../output/excerpt.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { exitClause, exitJson } from '../output/session-json.ts';
import { defineVerb } from '../verb.ts';

export const run = defineVerb({
  name: 'run',
  summary: "run a line in a session's shell, print its output and exit with its status",
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    timeout: duration('timeout (default 30s); the command keeps running'),
    'prompt-pattern': text(
      'RE',
      'recognize prompts by RE, matched against the text before the cursor',
    ),
    raw: toggle('print the bytes that the command wrote'),
    ...budgetFlags,
  },
  rest: 'LINE',
  needsRest: true,
  details: [
    "Types LINE at the prompt, its words joined by spaces. Your own shell removes one level of quotes: quote LINE if the session's shell must see quotes. Sends nothing if the shell is not at its prompt or text is already typed there.",
    'Prints the output as rendered text, without the parts that the command wrote over. A tab stays a tab unless something was written over it. Invisible characters are kept and reported on stderr.',
    `Exit status: that of the command; ${unknownExit} if it is unknown, with the reason on stderr; ${waitExit.timed_out} timed out; ${waitExit.exited} the shell exited. Without shell integration the status is unknown: a prompt shows only that the command ended. A command can exit with these numbers too; --json distinguishes them.`,
  ],
  examples: [
    { line: 'vtr run shell -- make test --timeout=5', about: 'run a line that has flags' },
    {
      line: `vtr run shell --timeout 10m -- 'cd src && grep -rn "a b" .'`,
      about: 'quote shell syntax',
    },
    {
      line: 'vtr run repl --prompt-pattern ">>> $" -- "2**100"',
      about: 'use a program other than a shell',
    },
  ],
  async run(context, { args, flags, rest }) {
    const budget = budgetOf(flags);
    const { coordinator, session } = await findSession(context, args.session, flags);
    const { timeout: timeoutMs, 'prompt-pattern': promptPattern } = flags;
    const result = await coordinator.run(session, {
      line: (rest ?? []).join(' '),
      ...budget,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(promptPattern === undefined ? {} : { promptPattern }),
    });
    const raw = flags.raw ? await rawOf(coordinator, session, result, budget) : null;
    if (await wantsJson(context, flags)) printJson(context, runJson(session, result, raw));
    else {
      const missing = await missingMarks(coordinator, session, result);
      printRun(context, session, result, { budget, raw, missing });
    }
    return statusOf(result);
  },
});

/** Returns the bytes that the command wrote. @throws VtrError COMMAND_NOT_FOUND */
async function rawOf(
  coordinator: Pick<Coordinator, 'commandOutput'>,
  session: string,
  { command }: RunResult,
  budget: ReadBudget,
): Promise<CommandOutput> {
  if (command === null) {
    const problem = 'the shell has no shell integration, so the bytes of the command are unknown';
    throw new VtrError('COMMAND_NOT_FOUND', `session ${session}: ${problem}; use vtr read --raw`);
  }
  return coordinator.commandOutput(session, { ...budget, command: command.number, format: 'raw' });
}

/** Why a line that ended at a prompt has no status; null if a command ended. */
async function missingMarks(
  coordinator: Pick<JsonCoordinator, 'commands'>,
  session: string,
  { outcome }: RunResult,
): Promise<string | null> {
  if (outcome !== 'prompt') return null;
  // The session may have been removed.
  const list = await coordinator.commands(session, { last: 1 }).catch(() => null);
  const isMarked = list !== null && list.integration !== 'none';
  if (isMarked && list.commands.at(-1)?.state !== 'running') return 'the line ran no command';
  const reason = list?.integrationReason;
  return `no shell integration${reason === undefined ? '' : `: ${reason}`}`;
}

interface Printed {
  readonly budget: ReadBudget;
  readonly raw: CommandOutput | null;
  /** Why the shell has no marks; null if it has. */
  readonly missing: string | null;
}

function printRun(
  context: Context,
  session: string,
  result: RunResult,
  { budget, raw, missing }: Printed,
): void {
  const { outcome, timeoutMs, exitCode, exitStatus } = result;
  tellGap(context, raw?.gap ?? result.gap);
  if (raw?.raw !== undefined) printRaw(context, raw.raw);
  else {
    printExactly(context, result.output, result.openEnd, budget);
    tellInvisible(context, `${result.output.head}${result.output.tail}`);
  }
  const say = (what: string) => context.say(`session ${session}: ${what}`);
  if (outcome === 'timed_out')
    say(`timed out after ${durationText(timeoutMs)}; the command is still running`);
  else if (outcome === 'exited' && exitStatus !== null) say(`the shell ${exitClause(exitStatus)}`);
  else if (exitCode === null) {
    say(
      missing === null
        ? 'exit status unknown: the shell did not report it'
        : `exit status unknown: ${missing}`,
    );
  }
}

function statusOf({ outcome, exitCode }: RunResult): number {
  if (outcome === 'timed_out' || outcome === 'exited') return waitExit[outcome];
  return exitCode ?? unknownExit;
}

const runJson = (session: string, result: RunResult, raw: CommandOutput | null) => ({
  name: session,
  outcome: result.outcome,
  command_exit_code: result.exitCode,
  command: result.command && commandJson(result.command),
  output: excerptJson(result.output),
  ...(raw?.raw === undefined ? {} : { raw: rawJson(raw.raw) }),
  open_end: result.openEnd,
  gap: result.gap,
  ...exitJson(result.exitStatus),
  timed_out: result.outcome === 'timed_out',
  mark: result.mark,
  timeout_ms: result.timeoutMs,
  elapsed_ms: Math.round(result.elapsedMs),
  revision: result.revision,
});
