import { duration } from '../arguments/flags.ts';
import { output, reach, sessionArgument } from '../arguments/shared-flags.ts';
import { waitFlags, waitRequest } from '../arguments/wait-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { waitExit } from '../exit-codes.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { waitJson } from '../output/session-json.ts';
import { printWait, statusOfWait } from '../output/wait-text.ts';
import { defineVerb } from '../verb.ts';

export const wait = defineVerb({
  name: 'wait',
  summary: 'wait until output matches, or for the first of several things',
  args: {
    session: sessionArgument,
    pattern: {
      about: 'as --match: a regular expression (RE2: no look-around, no back-references)',
      optional: true,
    },
  },
  flags: { ...reach, ...output, ...waitFlags, timeout: duration('30s if not given') },
  details: [
    'Only output that comes after the call counts, or after --since; --screen looks at what is there too. With nothing to wait for it waits for the exit. Of several things the first one ends it; --stop wins over --match, and both over the rest.',
    'The line that matches is printed, or with --tail the end of the output since; how it ended is said on stderr where that is not plain. --json has all of it, and the mark from which the next wait or read goes on.',
    `Exit status: 0 it came, ${waitExit.stopped} --stop matched, ${waitExit.exited} the program ended before, ${waitExit.timed_out} timed out. The program is left alone whatever happens.`,
  ],
  examples: [
    { line: 'vtr wait build "PASS|FAIL" --timeout 10m', about: 'until the tests are done' },
    {
      line: 'vtr wait server "listening on (\\d+)" --stop "EADDRINUSE|Error:"',
      about: 'fail fast',
    },
    { line: 'vtr wait shell --finished --timeout 1h', about: 'until the command has ended' },
    { line: 'vtr wait job --exit --idle 10s', about: 'ended, or quiet for 10 seconds' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    const asJson = await wantsJson(context, flags);
    const patterns = args.pattern === undefined ? [] : [args.pattern];
    const result = await coordinator.wait(session, {
      ...waitRequest(flags, patterns, asJson),
      ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout }),
    });
    if (asJson) printJson(context, waitJson(session, result));
    else printWait(context, session, result, flags, patterns);
    return statusOfWait(result, flags, patterns);
  },
});
