import { reach, sessionArgument } from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { defineVerb } from '../verb.ts';

export const rename = defineVerb({
  name: 'rename',
  summary: 'rename a session',
  args: { session: sessionArgument, name: { about: 'new name' } },
  flags: reach,
  details: [
    'The id stays, and the old name is free at once. Waits and subscriptions of the session continue. VTR_SESSION in the environment of its programs keeps the old name.',
  ],
  examples: [{ line: 'vtr rename sess_4fz81k0q build', about: 'name a session build' }],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    await coordinator.rename(session, args.name);
    return undefined;
  },
});
