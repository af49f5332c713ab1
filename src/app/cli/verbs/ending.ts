import { type SessionInfo, type SignalName, signalNames, VtrError } from '#model';
import { type Flag, toggle } from '../arguments/flags.ts';
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
  read: (word) => {
    const name = word.toUpperCase().replace(/^SIG/, '');
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

export const rm = defineVerb({
  name: 'rm',
  summary: 'remove sessions and end their programs',
  args: { session: { ...sessionsArgument, many: true } },
  flags: {
    ...selectionFlags,
    ...output,
    force: toggle('kill at once', { short: 'f' }),
    damaged: toggle('remove saved sessions that are damaged and not listed'),
  },
  details: [
    'Signals the program and its descendants to exit, and kills them after 5 seconds. If a process cannot be ended, the error names it and the session stays.',
    selectionDetails,
    'A saved session whose files are damaged cannot be listed or restored; vtr doctor names its directory. --damaged removes these directories of your own coordinator, and prints their paths. Files that another version of vtr has written, or that the system cannot read, are not removed.',
  ],
  examples: [
    { line: 'vtr rm codex', about: 'end the program and remove the session' },
    { line: `vtr rm 'build-*'`, about: 'remove all sessions whose names begin with build-' },
    { line: 'vtr rm --all --label team=web', about: 'remove all sessions with this label' },
    { line: 'vtr rm --damaged', about: 'remove damaged sessions' },
  ],
  async run(context, { args, flags }) {
    if (flags.damaged) {
      if (args.session.length > 0 || flags.all || flags.label.length > 0 || flags.coordinator) {
        const message = '--damaged cannot be used with a session, --all, --label or --coordinator';
        throw new VtrError('INVALID_ARGUMENT', message);
      }
      const { removeDamaged } = await import('../coordinators/remove-damaged.ts');
      return removeDamaged(context, flags);
    }
    const selection = await selectSessions(context, args.session, flags);
    const { force } = flags;
    return actOnEach(context, flags, selection, 'removed', ({ coordinator, ref }) =>
      coordinator.remove(ref, { force }),
    );
  },
});
