import { durationText } from '#base';
import {
  type Activity,
  type CommandRecord,
  counted,
  exitClause,
  type TextMatch,
  type WaitResult,
} from '#model';
import { conditionsIn, type WaitFlagValues } from '../arguments/wait-flags.ts';
import type { Context } from '../context.ts';
import { waitExit } from '../exit-codes.ts';
import { printExcerpt } from './excerpt.ts';
import { printPlain, tellRedacted } from './plain-text.ts';
import { guessText } from './program-text.ts';

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
    case 'agent':
      return result.agent === undefined ? null : `${result.agent.kind} is ${result.agent.state}`;
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
