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
  flags: { ...selectionFlags, ...output, force: toggle('kill at once', { short: 'f' }) },
  details: [
    'Signals the program and its descendants to exit, and kills them after 5 seconds. If a process cannot be ended, the error names it and the session stays.',
    selectionDetails,
  ],
  examples: [
    { line: 'vtr rm codex', about: 'end the program and remove the session' },
    { line: `vtr rm 'build-*'`, about: 'remove all sessions whose names begin with build-' },
    { line: 'vtr rm --all --label team=web', about: 'remove all sessions with this label' },
  ],
  async run(context, { args, flags }) {
    const selection = await selectSessions(context, args.session, flags);
    const { force } = flags;
    return actOnEach(context, flags, selection, 'removed', ({ coordinator, ref }) =>
      coordinator.remove(ref, { force }),
    );
  },
});
