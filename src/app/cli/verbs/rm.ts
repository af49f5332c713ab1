import { toggle } from '../arguments/flags.ts';
import { reach, sessionArgument } from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { defineVerb } from '../verb.ts';

export const rm = defineVerb({
  name: 'rm',
  summary: 'remove a session, ending its program if it runs',
  args: { session: sessionArgument },
  flags: { ...reach, force: toggle('kill at once, without a grace', { short: 'f' }) },
  details: [
    'The program and all that it started are asked to end, and killed after 5 seconds. What could not be ended is named, and the session stays.',
  ],
  examples: [{ line: 'vtr rm codex', about: 'end the program and forget the session' }],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    await coordinator.remove(session, { force: flags.force });
    return undefined;
  },
});
