import { durationText } from '#base';
import {
  type Activity,
  type CommandRecord,
  counted,
  exitClause,
  isShell,
  programStatusText,
  type RunResult,
  type TextMatch,
  type WaitResult,
} from '#model';
import { conditionsIn, type WaitFlagValues } from '../arguments/wait-flags.ts';
import type { Context } from '../context.ts';
import { waitExit } from '../exit-codes.ts';
import { printExcerpt } from './excerpt.ts';
import { printPlain, tellRedacted } from './printing.ts';

/** Prints the result of a wait for people. @param patterns in addition to those of the flags */
export function printWait(
  context: Context,
  session: string,
  result: WaitResult,
  flags: WaitFlagValues,
  patterns: readonly string[],
): void {
  const printsTail = flags.tail !== undefined;
  const conditions = [...patterns.map(() => 'match'), ...conditionsIn(flags)];
  if (printsTail) printExcerpt(context, result.output);
  tellWait(context, session, result, { printsMatch: !printsTail, conditions });
  if (printsTail) context.say(`mark ${result.mark}`);
  tellRedacted(context, result);
}

/** Returns the exit status of a wait. */
export function statusOfWait(
  { outcome, exitStatus }: WaitResult,
  flags: WaitFlagValues,
  patterns: readonly string[],
): number {
  if (flags.failed && outcome === 'exited' && exitStatus?.code !== 0) return 0;
  const isForExit = flags.exit || (patterns.length === 0 && conditionsIn(flags).length === 0);
  return isForExit && outcome === 'exited' ? 0 : waitExit[outcome];
}

interface Details {
  readonly printsMatch: boolean;
  /** The conditions of the wait, by the names of their flags. */
  readonly conditions: readonly string[];
}

/** Prints the line that matched, or the question, to stdout and everything else to stderr. */
export function tellWait(
  context: Context,
  session: string,
  result: WaitResult,
  { printsMatch, conditions }: Details,
): void {
  const { outcome, match } = result;
  if (printsMatch && outcome === 'matched' && match !== undefined) {
    printPlain(context, `${match.text}\n`);
  }
  if (printsMatch && result.question) printPlain(context, `${result.question}\n`);
  if (printsMatch && result.driver?.note) printPlain(context, `${result.driver.note}\n`);
  const outcomeText = outcomeTextOf(session, result, conditions);
  if (outcomeText !== null) context.say(`session ${session}: ${outcomeText}`);
  for (const row of result.masked ?? []) context.say(`ignored row: ${row}`);
  tellLost(context, `session ${session}`, result);
}

/** Reports on stderr the output that could not be searched. */
export function tellLost(
  context: Context,
  where: string,
  { lostLines = 0, lostBytes = 0 }: WaitResult,
): void {
  if (lostLines + lostBytes === 0) return;
  const lost = lostLines > 0 ? counted(lostLines, 'line') : counted(lostBytes, 'byte');
  context.say(`${where}: not searched: ${lost} since the mark that are no longer kept`);
}

/** Null if the outcome is obvious: there was one condition, and it was met. */
function outcomeTextOf(
  session: string,
  result: WaitResult,
  conditions: readonly string[],
): string | null {
  const { outcome, pattern, match, command, exitStatus } = result;
  const isOneOfMany = conditions.length > 1;
  switch (outcome) {
    case 'timed_out':
      return timeoutText(result, conditions);
    case 'exited':
      return exitStatus === null ? null : `the program ${exitClause(exitStatus)}`;
    case 'stopped':
      return `stopped by ${pattern?.source}: ${match?.text}${echoText(result)}`;
    case 'finished':
      return command === undefined ? null : commandText(command);
    case 'matched':
    case 'title':
      if (isOneOfMany) return `${outcome}: ${pattern?.source}${echoText(result)}`;
      return echoText(result) === '' ? null : `matched${echoText(result)}`;
    case 'awaiting_input':
      if (result.guess) return `the program may await input${guessText}`;
      return isOneOfMany || !result.question ? 'the program awaits input' : null;
    case 'password':
      return 'the program awaits a password';
    case 'status':
      return result.programStatus === undefined ? null : programStatusText(result.programStatus);
    case 'agent':
      return result.agent === undefined ? null : `${result.agent.kind} is ${result.agent.state}`;
    case 'stalled':
      return 'stalled: the prompt was taken, and nothing has happened since';
    case 'driver':
      return drivenText(session, result, isOneOfMany);
    case 'prompt':
      return promptText(conditions);
    default:
      return isOneOfMany ? outcome : null;
  }
}

/** Null if no person ever drove. */
function drivenText(session: string, { driver }: WaitResult, isOneOfMany: boolean): string | null {
  if (driver?.mark === undefined) return isOneOfMany ? 'no person drives' : null;
  const done = `vtr read ${session} --since ${driver.mark}`;
  return `no person drives; the epoch is ${driver.epoch}; what was done: ${done}`;
}

/** Null if only a prompt was waited for. */
function promptText(conditions: readonly string[]): string | null {
  if (conditions.join() === 'prompt') return null;
  const hasNoCommand = conditions.includes('finished') && !conditions.includes('prompt');
  return `the shell is at its prompt${hasNoCommand ? '; there is no command to wait for' : ''}`;
}

const echoText = ({ inEcho, redrawn }: WaitResult): string => {
  if (inEcho) return ', maybe in the echo of the input';
  return redrawn ? ', maybe text that was on the screen before' : '';
};

/** Returns `timed out after 30s`, and why nothing happened as far as that is known. */
function timeoutText(result: WaitResult, conditions: readonly string[]): string {
  const { timeoutMs, activity, matchedBefore, inEcho } = result;
  const parts = [
    `timed out after ${durationText(timeoutMs)}`,
    ...(activity === undefined ? [] : stateTexts(activity, conditions.includes('asks'))),
    ...(matchedBefore === undefined ? [] : [matchedBeforeText(matchedBefore)]),
    ...(inEcho ? ['only the echo of the input matched'] : []),
    ...(result.noAgent
      ? ['no coding agent is known in the session: vtr label SESSION agent=KIND names one']
      : []),
  ];
  return parts.join('; ');
}

function matchedBeforeText({ line }: TextMatch): string {
  return line === null
    ? 'a row on the screen matched before the wait began: see --screen'
    : `line ${line} matched before the wait began: see --since start`;
}

/** Returns a clause about the state of a session at the end of a wait. */
function stateTexts({ state, sinceMs, evidence }: Activity, asks: boolean): string[] {
  const time = durationText(Date.now() - sinceMs);
  const program = evidence.foreground?.name ?? 'the program';
  const see = asks ? '' : ': see --asks';
  switch (state) {
    case 'at_prompt':
      return [`the shell has been at its prompt for ${time}`];
    case 'awaiting_input':
      return [`${program} has been awaiting input for ${time}${see}`];
    case 'password':
      return [`${program} has been awaiting a password for ${time}${see}`];
    case 'running':
      return [`${program} has been running for ${time}`];
    case 'full_screen':
      return [`${program} uses the full screen`];
    default:
      return [];
  }
}

/** Returns `command 3 exited with status 0 after 2s`. */
function commandText({ number, exitCode, durationMs, unverified }: CommandRecord): string {
  const how = exitClause({ code: exitCode ?? 'unknown', signal: null });
  return `command ${number} ${how}${unverified ? ' (unverified)' : ''} after ${durationText(durationMs)}`;
}

/** Follows the words for a question that only the text before the cursor shows. */
const guessText = ' (a guess: only the text before the cursor shows it)';

/**
 * Why a line that was run at the prompt of a program has no exit status.
 *
 * @param isFirst whether the session has no earlier run that ended there: the text then says what the status of `vtr` means
 */
export function noStatusText(program: string, isFirst: boolean): string {
  const why = `exit status unknown: ${program} reports none`;
  return isFirst
    ? `${why} for a line; 0 means that its prompt is back, so read the output for errors`
    : why;
}

/** How programs that take over the terminal are left, by name. */
const waysOut: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'the key ctrl+x': 'nano pico',
    'the keys escape : q ! enter': 'vi vim vim.basic vim.tiny nvim view ex hx kak',
    'the keys ctrl+x ctrl+c': 'emacs emacsclient',
    'the key ctrl+c': 'joe watch',
    'the key ctrl+q': 'micro',
    'the key escape': 'mcedit dialog whiptail fzf sk',
    'the key q': 'less more most pager man moar info top htop btop tig lazygit ranger nnn',
    'the key f10': 'mc',
  }).flatMap(([way, names]) => names.split(' ').map((name) => [name, way] as const)),
);

type Asked = Pick<RunResult, 'question' | 'guess' | 'program' | 'asksForRest'> & {
  readonly outcome: string;
};

/**
 * Tells which program waits for input, for what, and how it is left.
 *
 * @param session to look at if there is no question; null if it ends
 */
export function askedText(
  session: string | null,
  { outcome, question = '', guess, program, asksForRest }: Asked,
): string {
  const named = program === undefined || isShell(program) ? null : program;
  if (asksForRest) {
    const rest = `type it with vtr send ${session}, or cancel the command with vtr key ${session} ctrl+c`;
    return `${named ?? 'the shell'} waits for the rest of a command: ${question}; ${rest}`;
  }
  const who = named ?? 'the program';
  const what = outcome === 'password' ? 'a password' : 'input';
  const wayOut = waysOut.get(program ?? '');
  const leave = wayOut === undefined ? '' : ` (leave it with ${wayOut})`;
  const see = session === null ? '' : `; to see it: vtr screen ${session}`;
  const where = question === '' ? see : `: ${question}`;
  return guess
    ? `${who} may wait for ${what}${guessText}${where}`
    : `${who} waits for ${what}${leave}${where}`;
}
