import { durationText } from '#base';
import type { WaitResult } from '#model';
import { findSession } from '../addressing.ts';
import { output, reach } from '../common-flags.ts';
import type { Context } from '../context.ts';
import { waitExit } from '../exit-codes.ts';
import { duration } from '../flags.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { printPlain } from '../output/plain-text.ts';
import { exitText, waitJson } from '../output/session-json.ts';
import { sessionArgument } from '../session-argument.ts';
import { defineVerb } from '../verb.ts';

export const wait = defineVerb({
  name: 'wait',
  summary: 'wait until output matches a pattern',
  args: {
    session: sessionArgument,
    pattern: { about: 'a regular expression (RE2: no look-around, no back-references)' },
  },
  flags: { ...reach, ...output, timeout: duration('30s if not given') },
  details: [
    'Only output that comes after the call counts; the line that matches is printed.',
    `Exit status: 0 matched, ${waitExit.exited} the program ended before, ${waitExit.timed_out} timed out. The program is left alone whatever happens.`,
  ],
  examples: [
    { line: 'vtr wait build "PASS|FAIL" --timeout 10m', about: 'until the tests are done' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    const result = await coordinator.waitForText(session, {
      pattern: args.pattern,
      ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout }),
    });
    if (await wantsJson(context, flags)) printJson(context, waitJson(session, result));
    else tellWait(context, session, result);
    return waitExit[result.outcome];
  },
});

/** The line that matched is data; all else is said. */
export function tellWait(context: Context, session: string, result: WaitResult): void {
  const { outcome, match, exitStatus, timeoutMs } = result;
  if (match !== undefined) printPlain(context, `${match.text}\n`);
  if (outcome === 'timed_out') {
    context.say(`session ${session}: timed out after ${durationText(timeoutMs)}`);
  }
  if (outcome === 'exited' && exitStatus !== null) {
    const verb = exitStatus.signal === null ? '' : 'was ';
    context.say(`session ${session}: the program ${verb}${exitText(exitStatus)}`);
  }
}
