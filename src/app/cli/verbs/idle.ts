import { defaultQuietMs } from '#model';
import { duration } from '../arguments/flags.ts';
import { output, reach, sessionArgument } from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { waitExit } from '../exit-codes.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { waitJson } from '../output/session-json.ts';
import { tellWait } from '../output/wait-text.ts';
import { defineVerb } from '../verb.ts';

const defaultTimeoutMs = 5000;

export const idle = defineVerb({
  name: 'idle',
  summary: 'wait until a session has been quiet for a while',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    idle: duration('how long nothing may change; 5s if not given'),
    timeout: duration('5s if not given, and as much longer as --idle needs'),
  },
  details: [
    `Exit status: 0 quiet, ${waitExit.exited} the program ended, ${waitExit.timed_out} timed out. The program is left alone whatever happens.`,
  ],
  examples: [
    { line: 'vtr idle codex --idle 500ms --timeout 1m', about: 'half a second of silence' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    const quietMs = flags.idle ?? defaultQuietMs;
    const limitMs = (await context.config()).waitForIdleTimeoutMs ?? defaultTimeoutMs;
    const timeoutMs = flags.timeout ?? (quietMs > limitMs ? quietMs + limitMs : limitMs);
    const asJson = await wantsJson(context, flags);
    const tail = asJson ? {} : { tail: { maxLines: 0 } };
    const result = await coordinator.wait(session, { quietMs, timeoutMs, ...tail });
    if (asJson) printJson(context, waitJson(session, result));
    else tellWait(context, session, result, { printsMatch: false, asked: ['idle'] });
    return waitExit[result.outcome];
  },
});
