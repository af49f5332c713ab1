import type { ReviveRequest } from '#model';
import {
  environmentFlag,
  output,
  programFlags,
  reach,
  sessionArgument,
} from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { callerOf, tellNotPassed, variablesOf } from '../coordinators/caller.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { sessionJson } from '../output/session-json.ts';
import { defineVerb } from '../verb.ts';

export const revive = defineVerb({
  name: 'revive',
  summary: 'start the program of an ended session again',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    env: programFlags.env,
    environment: environmentFlag,
  },
  rest: 'PROGRAM ARGS...',
  details: [
    'For sessions that ended because the machine was restarted, the daemon was stopped or the process that owned the terminals was killed, and for those that exited by themselves. The program starts with the same arguments, directory, size, lifetime, limits and labels, in a session of the same name with another id. The lines of the ended session are above its screen. A program after -- replaces the old one and its arguments.',
    'The program has your environment of now. Values of --env are never saved: those that the session was started with are named on stderr, unless --env gives them again.',
    'A running session is not revived (exit status 5). Prints the session name.',
  ],
  examples: [
    { line: 'vtr revive web', about: 'start the server of the session web again' },
    { line: 'vtr revive web --env TOKEN=secret', about: 'give it a variable again' },
    { line: 'vtr revive codex -- codex resume', about: 'run another command in its place' },
  ],
  async run(context, { args, flags, rest }) {
    const [program, ...words] = rest ?? [];
    const target = await findSession(context, args.session, flags);
    const request: ReviveRequest = {
      ...(program === undefined ? {} : { program, args: words }),
      env: variablesOf(context, flags.env),
      ...(flags.environment === undefined ? {} : { environment: flags.environment }),
      ...(await callerOf(context, target.coordinator.socket)),
    };
    const revived = await target.coordinator.revive(target.session, request);
    const { missingEnv = [] } = revived;
    if (await wantsJson(context, flags)) {
      const session = sessionJson(target.coordinatorName, revived);
      printJson(context, { ...session, missing_env: missingEnv });
    } else {
      context.out(`${revived.name}\n`);
      tellNotPassed(context, revived);
    }
    if (missingEnv.length > 0) context.say(missingText(missingEnv));
    return undefined;
  },
});

const missingText = (names: readonly string[]): string =>
  `started without ${names.join(', ')}: values of --env are not saved; give them again with --env`;
