import { type SignalName, signalNames, VtrError } from '#model';
import type { Flag } from '../arguments/flags.ts';
import { reach, sessionArgument } from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { defineVerb } from '../verb.ts';

const signal: Flag<SignalName> = {
  about: 'signal to send (default TERM)',
  value: 'NAME',
  short: 's',
  completes: signalNames,
  read: (given) => {
    const name = given.toUpperCase().replace(/^SIG/, '');
    const found = signalNames.find((each) => each === name);
    if (found !== undefined) return found;
    throw new VtrError('INVALID_ARGUMENT', `use one of ${signalNames.join(', ')}`);
  },
};

export const kill = defineVerb({
  name: 'kill',
  summary: 'send a signal to the program of a session',
  args: { session: sessionArgument },
  flags: { ...reach, signal },
  examples: [
    { line: 'vtr kill codex', about: 'send TERM' },
    { line: 'vtr kill codex --signal INT', about: 'interrupt, as ctrl+c does' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    await coordinator.kill(session, flags.signal ?? 'TERM');
    return undefined;
  },
});
