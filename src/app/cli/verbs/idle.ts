import { defaultQuietMs } from '#model';
import { duration } from '../arguments/flags.ts';
import { output, reach, sessionArgument } from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { waitExit } from '../exit-codes.ts';
import { printJson, wantsJson } from '../output/printing.ts';
import { waitJson } from '../output/session-json.ts';
import { tellWait } from '../output/wait-text.ts';
import { defineVerb } from '../verb.ts';

export const idle = defineVerb({
  name: 'idle',
  summary: 'wait until a session stops changing',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    idle: duration('time without change (default 5s)'),
    timeout: duration('timeout (default 5s; if --idle is longer, 5s more than --idle)'),
  },
  details: [
    `Exit status: 0 no change, ${waitExit.exited} program exited, ${waitExit.timed_out} timed out. The wait never affects the program.`,
  ],
  examples: [
    {
      line: 'vtr idle codex --idle 500ms --timeout 1m',
      about: 'wait for half a second without change',
    },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session, shown } = await findSession(context, args.session, flags);
    const quietMs = flags.idle ?? defaultQuietMs;
    const limitMs = (await context.config()).waitForIdleTimeoutMs;
    const timeoutMs = flags.timeout ?? (quietMs > limitMs ? quietMs + limitMs : limitMs);
    const asJson = await wantsJson(context, flags);
    const tail = asJson ? {} : { tail: { maxLines: 0 } };
    const result = await coordinator.wait(session, { quietMs, timeoutMs, ...tail });
    if (asJson) printJson(context, waitJson(session, result));
    else tellWait(context, shown, result, { printsMatch: false, conditions: ['idle'] });
    return waitExit[result.outcome];
  },
});
