import { toggle } from '../arguments/flags.ts';
import { reach, sessionArgument } from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { defineVerb } from '../verb.ts';

export const rm = defineVerb({
  name: 'rm',
  summary: 'remove a session and end its program',
  args: { session: sessionArgument },
  flags: { ...reach, force: toggle('kill at once', { short: 'f' }) },
  details: [
    'Signals the program and its descendants to exit, and kills them after 5 seconds. If a process cannot be ended, the error names it and the session stays.',
  ],
  examples: [{ line: 'vtr rm codex', about: 'end the program and remove the session' }],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    await coordinator.remove(session, { force: flags.force });
    return undefined;
  },
});
