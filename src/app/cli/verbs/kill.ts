import { type SessionInfo, type SignalName, signalNames, VtrError } from '#model';
import type { Flag } from '../arguments/flags.ts';
import { output } from '../arguments/shared-flags.ts';
import { actOnEach } from '../coordinators/act-on-each.ts';
import {
  selectionDetails,
  selectionFlags,
  selectSessions,
  sessionsArgument,
} from '../coordinators/selection.ts';
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
  summary: 'send a signal to the programs of sessions',
  args: { session: { ...sessionsArgument, many: true } },
  flags: { ...selectionFlags, ...output, signal },
  details: [
    'The sessions stay. Globs and --all select only sessions whose program runs.',
    selectionDetails,
  ],
  examples: [
    { line: 'vtr kill codex', about: 'send TERM' },
    { line: 'vtr kill codex --signal INT', about: 'interrupt, as ctrl+c does' },
    { line: `vtr kill 'build-*'`, about: 'send TERM to several programs' },
  ],
  async run(context, { args, flags }) {
    const isRunning = ({ state }: SessionInfo) => state === 'running';
    const selection = await selectSessions(context, args.session, flags, isRunning);
    const name = flags.signal ?? 'TERM';
    return actOnEach(context, flags, selection, 'signalled', ({ coordinator, ref }) =>
      coordinator.kill(ref, name),
    );
  },
});
