import { VtrError } from '#model';
import { toggle } from '../arguments/flags.ts';
import { output } from '../arguments/shared-flags.ts';
import { actOnEach } from '../coordinators/act-on-each.ts';
import {
  selectionDetails,
  selectionFlags,
  selectSessions,
  sessionsArgument,
} from '../coordinators/selection.ts';
import { defineVerb } from '../verb.ts';

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
