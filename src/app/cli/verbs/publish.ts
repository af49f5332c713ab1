import { defined } from '#base';
import type { PublishRequest } from '#model';
import { assignments, duration, type FlagValues, size, text, toggle } from '../arguments/flags.ts';
import { reach } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { coordinatorForSession } from '../coordinators/addressing.ts';
import { asItIs, clientOf, connectionTo } from '../coordinators/known-coordinators.ts';
import { withDaemon } from '../coordinators/with-daemon.ts';
import { defineVerb } from '../verb.ts';

const flags = {
  ...reach,
  title: text('LINE', 'program name to show for the session'),
  size: size('size of the terminal, such as 120x40'),
  label: assignments('KEY=VALUE', 'add a label; repeatable'),
  tty: toggle('stdin was written for a terminal: do not convert line feeds'),
  'keep-exited': duration('remove the session DURATION after stdin ends'),
  'no-start': toggle('fail if no coordinator is running'),
};

export const publish = defineVerb({
  name: 'publish',
  summary: 'publish stdin as a read-only session',
  args: {
    name: { about: 'session name, or COORDINATOR:NAME (default: generated)', optional: true },
  },
  flags,
  details: [
    'For programs that run elsewhere. Clients read, wait and search as in any session. Prints the session name at once. The session ends at the end of stdin. If this command is killed first, the session ends with SIGHUP. Unlike other sessions, it is lost when the coordinator is restarted or killed.',
  ],
  examples: [
    { line: 'make 2>&1 | vtr publish build', about: 'publish a build' },
    { line: 'ssh host tail -f log | vtr publish log', about: 'publish a log of another machine' },
  ],
  async run(context, { args, flags }) {
    const { coordinator: place, session } = await coordinatorForSession(context, args.name, flags);
    await withDaemon(context, place, !flags['no-start'], () => clientOf(context, place).list());
    const coordinator = await connectionTo(context, place, asItIs);
    try {
      const publication = await coordinator.publish(requestOf(context, session, flags));
      context.out(`${publication.session.name}\n`);
      for await (const chunk of process.stdin) await publication.write(chunk as Buffer);
      await publication.exit({ code: 0, signal: null });
      await publication.close();
    } finally {
      await coordinator.close();
    }
    return undefined;
  },
});

function requestOf(
  { cwd }: Context,
  name: string | undefined,
  values: FlagValues<typeof flags>,
): PublishRequest {
  const { title, size, label, tty, 'keep-exited': keepExitedMs } = values;
  return {
    by: `vtr publish, process ${process.pid}`,
    fromPipe: !tty,
    cwd,
    labels: Object.fromEntries(label),
    ...defined({ name, program: title, size }),
    ...(keepExitedMs === undefined ? {} : { lifetime: { keepExitedMs } }),
  };
}
