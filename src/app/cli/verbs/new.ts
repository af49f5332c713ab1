import { basename } from 'node:path';
import { defined } from '#base';
import {
  asVtrError,
  sessionIdVariable,
  sessionNameFrom,
  sessionNameVariable,
  VtrError,
} from '#model';
import type { CommandRequest } from '#wire/service/short';
import { type FlagValues, toggle } from '../arguments/flags.ts';
import { environmentDetails, reach } from '../arguments/shared-flags.ts';
import { inWorktree, worktreeDetails } from '../arguments/worktree-flags.ts';
import { tellNotPassed } from '../caller.ts';
import type { Context } from '../context.ts';
import { coordinatorForSession, targetAt } from '../coordinators/addressing.ts';
import { clientOf, type KnownCoordinator } from '../coordinators/known-coordinators.ts';
import { spawnAt } from '../coordinators/with-daemon.ts';
import { defineVerb } from '../verb.ts';
import { isInTerminal, shownSize, showSession } from './attach.ts';
import { settingsOf } from './prompt.ts';
import { sessionFlags, sessionRequest } from './spawn.ts';

const flags = {
  ...reach,
  detach: toggle('only start it, and print its name', { short: 'd' }),
  ...sessionFlags,
};

type Given = FlagValues<typeof flags>;

export const newVerb = defineVerb({
  name: 'new',
  summary: 'start a program in a new session, and show it in this terminal',
  args: {
    name: {
      about:
        'session name, or COORDINATOR:NAME (default: that of the branch, the agent, the program or the directory)',
      optional: true,
    },
  },
  flags,
  rest: 'PROGRAM ARGS...',
  otherFlags: {
    wait: 'vtr spawn --wait',
    json: 'vtr spawn --json',
    reuse: 'vtr attach --create',
    s: 'vtr new NAME',
  },
  details: [
    'For people: vtr spawn and vtr attach in one. Runs your shell if no program is given. If a session has the default name, a number is put behind it: api, api-2. If a session has the name that you give, the command fails (exit status 5): vtr attach NAME shows it, and vtr attach -c NAME shows or starts it.',
    'Without a terminal at stdin and stdout, with --detach, and inside a session of vtr, the session is not shown, and its name is printed. Inside a session, the new one would be shown in the other: vtr attach NAME does that.',
    worktreeDetails,
    '--agent KIND without a program starts the command of the kind as vtr start does, and shows it at once.',
    environmentDetails,
  ],
  examples: [
    { line: 'vtr new', about: 'your shell, in a session with the name of this directory' },
    { line: 'vtr new notes -- vim notes.txt', about: 'a program with arguments' },
    {
      line: 'vtr new --worktree fix-login --agent claude',
      about: 'an agent on a branch of its own, in a worktree',
    },
    { line: 'vtr new -d build -- make -j4', about: 'only start it' },
  ],
  async run(context, { args, flags, rest }) {
    const at = await coordinatorForSession(context, args.name, flags);
    const { coordinator } = at;
    const words = rest ?? [];
    const isShown = !flags.detach && isInTerminal() && !isInSession(context);
    const request = {
      ...(isShown ? await shownSize(context, {}) : {}),
      ...sessionRequest(context, flags, words, coordinator.socket),
      ...(await agentArguments(context, coordinator, flags, words)),
      ...defined({ name: at.session }),
    };
    const placed = await inWorktree(context, flags, coordinator.socket, request);
    const spawned = await spawnAt(placed.context, coordinator, placed.request, {
      mayStart: !flags['no-start'],
      derivedName: placed.derivedName ?? nameOf(flags, words, request.cwd),
    }).catch((error) => nameTaken(context, at, args.name, error));
    const { name } = spawned;
    if (!isShown) context.out(`${name}\n`);
    tellNotPassed(context, spawned);
    if (!isShown) return tellNotShown(context, name, flags);
    return showSession(context, targetAt(context, coordinator, name), {});
  },
});

/** Returns the arguments of an agent that is started by the command of its kind. */
async function agentArguments(
  context: Context,
  { socket }: KnownCoordinator,
  { agent, cmd }: Given,
  words: readonly string[],
): Promise<Pick<CommandRequest, 'args'>> {
  if (agent === undefined || cmd !== undefined || words.length > 0) return {};
  const args = await settingsOf(context, socket, agent, []);
  return args.length === 0 ? {} : { args };
}

/** Returns the name of the agent, the program or the directory, in the form of a session's; null if it has none. */
const nameOf = (
  { agent, cmd }: Given,
  [program = cmd?.trim().split(/\s/)[0]]: readonly string[],
  directory = '',
): string | null => sessionNameFrom(basename(agent ?? program ?? directory));

/** @throws VtrError SESSION_ALREADY_EXISTS with what to do about the session that has the name */
async function nameTaken(
  context: Context,
  { coordinator, session }: Awaited<ReturnType<typeof coordinatorForSession>>,
  name: string | undefined,
  thrown: unknown,
): Promise<never> {
  const error = asVtrError(thrown);
  if (error.code !== 'SESSION_ALREADY_EXISTS' || session === undefined) throw error;
  const { state } = await clientOf(context, coordinator).info(session);
  const hint =
    state === 'running'
      ? `show it with vtr attach ${name}; vtr attach -c ${name} shows it, or starts it if there is none`
      : `its program has ended: start it again with vtr revive ${name}, or remove it with vtr rm ${name}`;
  throw new VtrError(error.code, `session ${session} exists\n${hint}`, { details: error.details });
}

const isInSession = ({ env }: Context): boolean => (env[sessionIdVariable] ?? '') !== '';

function tellNotShown(context: Context, name: string, { detach }: Given): undefined {
  if (detach || !isInSession(context) || !isInTerminal()) return;
  const inside = context.env[sessionNameVariable] ?? '';
  context.say(`not shown: this terminal is session ${inside}; vtr attach ${name} shows it inside`);
}
