import { VtrError, type WaitRequest, type WaitResult } from '#model';
import type { Context } from '../context.ts';
import { printWait, statusOfWait } from '../output/wait-text.ts';
import { duration, type FlagValues } from './flags.ts';
import { checkWaitFlags, patternsOf, waitFlag, waitFlags, waitRequest } from './wait-flags.ts';

// All output is new: there is no mark.
const { since: _, ...conditions } = waitFlags;

/** The flags of verbs that start a program and can wait for its output. */
export const startWaitFlags = {
  wait: waitFlag,
  timeout: duration("with --wait, the wait's timeout (default 30s)"),
  ...conditions,
};

type Given = FlagValues<typeof startWaitFlags>;

export const startWaitDetails =
  'With --wait, returns once output matches RE or another condition is met; the wait covers all output of the program from its first byte on. Prints the session name, then what vtr wait prints, and exits with the status of vtr wait. The session stays, however the wait ends.';

/** @throws VtrError INVALID_ARGUMENT for flags that need `--wait` */
export function checkStartWait(given: Given, aboutTimeout = ''): void {
  checkWaitFlags(given);
  if (given.timeout === undefined || given.wait !== undefined) return;
  throw new VtrError('INVALID_ARGUMENT', `--timeout needs --wait${aboutTimeout}`);
}

/** Returns the wait of a request. */
export function startWaitOf(given: Given, asJson: boolean): { wait?: WaitRequest } {
  if (given.wait === undefined) return {};
  const timeout = given.timeout === undefined ? {} : { timeoutMs: given.timeout };
  return { wait: { ...waitRequest(given, patternsOf(given), asJson), ...timeout } };
}

/** Prints how the wait ended, unless JSON has it. @returns the exit status */
export function tellStartWait(
  context: Context,
  name: string,
  wait: WaitResult,
  given: Given,
  asJson: boolean,
): number {
  const patterns = patternsOf(given);
  if (!asJson) printWait(context, name, wait, given, patterns);
  return statusOfWait(wait, given, patterns);
}
