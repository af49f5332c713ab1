import type { PublishRequest } from '#model';
import { JsonCoordinator } from '#wire/service/short';
import { duration, type FlagValues, size, text, toggle } from '../arguments/flags.ts';
import { reach } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { placeForSession } from '../coordinators/addressing.ts';
import { defineVerb } from '../verb.ts';
import { withDaemon } from '../with-daemon.ts';

const flags = {
  ...reach,
  title: text('LINE', 'what writes, for those who look'),
  size: size('of the terminal that it is made for, as in 120x40'),
  tty: toggle('it was written into a terminal and not into a pipe: leave line feeds alone'),
  'keep-exited': duration('removes it so long after its end'),
  'no-start': toggle('fail where no coordinator runs, instead of starting one'),
};

export const publish = defineVerb({
  name: 'publish',
  summary: 'show what stdin gives as a session that takes no input',
  args: { name: { about: 'its name; made up if not given', optional: true } },
  flags,
  details: [
    'For what runs elsewhere: others look, wait and search as in any session. The name is printed at once. It ends with stdin, and as if hung up (SIGHUP) where this command is killed before.',
  ],
  examples: [
    { line: 'make 2>&1 | vtr publish build', about: 'a build that others may follow' },
    { line: 'ssh host tail -f log | vtr publish log', about: 'a log of another machine' },
  ],
  async run(context, { args, flags: given }) {
    const { coordinator: place, session } = await placeForSession(context, args.name, given);
    await withDaemon(context, place, !given['no-start'], () =>
      new JsonCoordinator(place.socket).list(),
    );
    const { connect } = await import('#wire/service');
    const coordinator = await connect({ socket: place.socket });
    try {
      const publication = await coordinator.publish(requestOf(context, session, given));
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
  given: FlagValues<typeof flags>,
): PublishRequest {
  const { title, size: asked, tty, 'keep-exited': keepExitedMs } = given;
  return {
    by: `vtr publish, process ${process.pid}`,
    fromPipe: !tty,
    cwd,
    ...(name === undefined ? {} : { name }),
    ...(title === undefined ? {} : { program: title }),
    ...(asked === undefined ? {} : { size: asked }),
    ...(keepExitedMs === undefined ? {} : { lifetime: { keepExitedMs } }),
  };
}
