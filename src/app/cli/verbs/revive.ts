import type { ReviveRequest } from '#model';
import { text } from '../arguments/flags.ts';
import {
  directoryOf,
  environmentFlag,
  output,
  programFlags,
  reach,
  sessionArgument,
} from '../arguments/shared-flags.ts';
import {
  checkStartWait,
  startWaitDetails,
  startWaitFlags,
  startWaitOf,
  tellStartWait,
} from '../arguments/start-wait.ts';
import { findSession } from '../coordinators/addressing.ts';
import { callerOf, tellNotPassed, variablesOf } from '../coordinators/caller.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { sessionJson, waitJson } from '../output/session-json.ts';
import { defineVerb } from '../verb.ts';

export const revive = defineVerb({
  name: 'revive',
  summary: 'start the program of an ended session again',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    cwd: text('DIR', 'working directory (default: the last one)', { completes: 'file' }),
    env: programFlags.env,
    environment: environmentFlag,
    ...startWaitFlags,
  },
  rest: 'PROGRAM ARGS...',
  details: [
    'For sessions that exited by themselves, and for sessions that ended because the machine restarted, the daemon was stopped or the process that owned the terminals was killed. A running session is not revived (exit status 5).',
    'The program starts with the same arguments, size, lifetime, limits and labels, in a session of the same name with another id. It starts in the last directory that the shell reported, or else in the directory in which the session was started. A program after -- replaces the old one and its arguments. Prints the session name.',
    'The lines of the ended session are above its screen. They are not output of the new program: waits do not match them, and --since start begins below them.',
    startWaitDetails,
    'The program gets your present environment. Values of --env are never saved: stderr names the variables that the session was started with, unless --env sets them again.',
  ],
  examples: [
    { line: 'vtr revive web', about: 'start the server of the session web again' },
    {
      line: 'vtr revive web --wait "listening on"',
      about: 'start it, and wait until the new program listens',
    },
    { line: 'vtr revive web --env TOKEN=secret', about: 'give it a variable again' },
    { line: 'vtr revive codex -- codex resume', about: 'run another command in its place' },
  ],
  async run(context, { args, flags, rest }) {
    const [program, ...words] = rest ?? [];
    checkStartWait(flags);
    const asJson = await wantsJson(context, flags);
    const target = await findSession(context, args.session, flags);
    const request: ReviveRequest = {
      ...(program === undefined ? {} : { program, args: words }),
      env: variablesOf(context, flags.env),
      ...(flags.environment === undefined ? {} : { environment: flags.environment }),
      ...directoryOf(context, flags.cwd, target.coordinator.socket),
      ...(await callerOf(context, target.coordinator.socket)),
      ...startWaitOf(flags, asJson),
    };
    const revived = await target.coordinator.revive(target.session, request);
    const { name, missingEnv = [], wait } = revived;
    if (asJson) {
      const session = sessionJson(target.coordinatorName, revived);
      const end = wait === undefined ? {} : { wait: waitJson(name, wait) };
      printJson(context, { ...session, missing_env: missingEnv, ...end });
    } else {
      context.out(`${name}\n`);
      tellNotPassed(context, revived);
    }
    if (missingEnv.length > 0) context.say(missingText(missingEnv));
    return wait === undefined ? undefined : tellStartWait(context, name, wait, flags, asJson);
  },
});

const missingText = (names: readonly string[]): string =>
  `started without ${names.join(', ')}: values of --env are not saved; give them again with --env`;
