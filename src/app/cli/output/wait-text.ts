import { durationText } from '#base';
import type { CommandRecord, WaitResult } from '#model';
import { conditionsIn, type WaitFlagValues } from '../arguments/wait-flags.ts';
import type { Context } from '../context.ts';
import { waitExit } from '../exit-codes.ts';
import { printExcerpt } from './excerpt.ts';
import { printPlain } from './plain-text.ts';
import { exitText } from './session-json.ts';

/** Prints for people how a wait ended that flags asked for. @param patterns besides the flags' */
export function printWait(
  context: Context,
  session: string,
  result: WaitResult,
  flags: WaitFlagValues,
  patterns: readonly string[],
): void {
  const printsTail = flags.tail !== undefined;
  const asked = [...patterns.map(() => 'match'), ...conditionsIn(flags)];
  if (printsTail) printExcerpt(context, result.output);
  tellWait(context, session, result, { printsMatch: !printsTail, asked });
  if (printsTail) context.say(`mark ${result.mark}`);
}

/** The exit status of a wait that flags asked for. */
export function statusOfWait(
  { outcome }: WaitResult,
  flags: WaitFlagValues,
  patterns: readonly string[],
): number {
  const isForExit = flags.exit || (patterns.length === 0 && conditionsIn(flags).length === 0);
  return isForExit && outcome === 'exited' ? 0 : waitExit[outcome];
}

interface Telling {
  readonly printsMatch: boolean;
  /** What was waited for, by the names of the flags. */
  readonly asked: readonly string[];
}

/** The line that matched is data; all else is said. */
export function tellWait(
  context: Context,
  session: string,
  result: WaitResult,
  { printsMatch, asked }: Telling,
): void {
  const { outcome, match } = result;
  if (printsMatch && outcome === 'matched' && match !== undefined) {
    printPlain(context, `${match.text}\n`);
  }
  const said = sayingOf(result, asked.length > 1);
  if (said !== null) context.say(`session ${session}: ${said}`);
  for (const row of result.masked ?? []) context.say(`did not count: ${row}`);
}

/** Null where it goes without saying: there was one thing to wait for, and it came. */
function sayingOf(result: WaitResult, isOneOfMany: boolean): string | null {
  const { outcome, pattern, match, command, exitStatus, timeoutMs } = result;
  switch (outcome) {
    case 'timed_out':
      return `timed out after ${durationText(timeoutMs)}`;
    case 'exited':
      return exitStatus === null ? null : `the program ${exitText(exitStatus)}`;
    case 'stopped':
      return `stopped by ${pattern?.source}: ${match?.text}`;
    case 'finished':
      return command === undefined ? null : commandText(command);
    case 'matched':
    case 'title':
      return isOneOfMany ? `${outcome}: ${pattern?.source}` : null;
    default:
      return isOneOfMany ? outcome : null;
  }
}

/** `command 3 ended with status 0 after 2s`. */
function commandText({ number, exitCode, durationMs }: CommandRecord): string {
  const how = exitCode === null ? 'an unknown status' : `status ${exitCode}`;
  return `command ${number} ended with ${how} after ${durationText(durationMs)}`;
}
