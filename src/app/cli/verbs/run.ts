import { durationText } from '#base';
import type { RunResult } from '#model';
import { duration, text } from '../arguments/flags.ts';
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
import { printExactly, tellGap, tellInvisible } from '../output/excerpt.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { exitJson, exitText } from '../output/session-json.ts';
import { defineVerb } from '../verb.ts';

export const run = defineVerb({
  name: 'run',
  summary: 'have the shell in a session run a line, print its output and end with its status',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    timeout: duration('30s if not given; the line runs on when it has passed'),
    'prompt-pattern': text('RE', 'what stands left of the cursor at a prompt that is not marked'),
    ...budgetFlags,
  },
  rest: 'LINE',
  needsRest: true,
  details: [
    'LINE is typed at the prompt: its words are joined by blanks, as they are. What the shell in the session is to see in quotes has to be quoted for your own shell besides. Where the shell is not at its prompt, or something is typed there already, nothing is sent.',
    'The output is printed as it was and nothing is added to it.',
    `Exit status: the one of the command. ${unknownExit} where nobody knows it, which is said on stderr: without shell integration a prompt tells only that the command has ended. ${waitExit.timed_out} timed out, ${waitExit.exited} the shell itself ended. A command may end with these numbers too; --json tells them apart.`,
  ],
  examples: [
    { line: 'vtr run shell -- make test --timeout=5', about: 'a line with flags of its own' },
    { line: `vtr run shell --timeout 10m -- 'cd src && grep -rn "a b" .'`, about: 'in quotes' },
    { line: 'vtr run repl --prompt-pattern ">>> $" -- "2**100"', about: 'not only shells' },
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
    if (await wantsJson(context, flags)) printJson(context, runJson(session, result));
    else printRun(context, session, result);
    return statusOf(result);
  },
});

function printRun(context: Context, session: string, result: RunResult): void {
  const { outcome, timeoutMs, exitCode, exitStatus } = result;
  tellGap(context, result.gap);
  printExactly(context, result.output, result.openEnd);
  tellInvisible(context, `${result.output.head}${result.output.tail}`);
  const said = (what: string) => context.say(`session ${session}: ${what}`);
  if (outcome === 'timed_out') said(`timed out after ${durationText(timeoutMs)}; the line runs on`);
  else if (outcome === 'exited' && exitStatus !== null) said(`the shell ${exitText(exitStatus)}`);
  else if (exitCode === null) {
    said(
      outcome === 'prompt'
        ? 'its status is not known: no shell integration, only a prompt'
        : 'its status is not known: the shell did not say',
    );
  }
}

function statusOf({ outcome, exitCode }: RunResult): number {
  if (outcome === 'timed_out' || outcome === 'exited') return waitExit[outcome];
  return exitCode ?? unknownExit;
}

const runJson = (session: string, result: RunResult) => ({
  name: session,
  outcome: result.outcome,
  command_exit_code: result.exitCode,
  command: result.command && commandJson(result.command),
  output: excerptJson(result.output),
  open_end: result.openEnd,
  gap: result.gap,
  ...exitJson(result.exitStatus),
  timed_out: result.outcome === 'timed_out',
  mark: result.mark,
  timeout_ms: result.timeoutMs,
  elapsed_ms: Math.round(result.elapsedMs),
  revision: result.revision,
});
