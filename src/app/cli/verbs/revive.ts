import { defined } from '#base';
import {
  asVtrError,
  errorTable,
  isLost,
  type ResumedAgent,
  type RevivedSession,
  type ReviveRequest,
  type SessionInfo,
  VtrError,
} from '#model';
import { type FlagValues, text, toggle } from '../arguments/flags.ts';
import {
  directoryOf,
  environmentFlag,
  output,
  programFlags,
  sessionArgument,
} from '../arguments/shared-flags.ts';
import { callerOf, tellNotPassed, variablesOf } from '../caller.ts';
import type { Context } from '../context.ts';
import { mapAtMost } from '../coordinators/act-on-each.ts';
import { findSession } from '../coordinators/addressing.ts';
import {
  type SelectedSession,
  selectionDetails,
  selectionFlags,
  selectSessions,
  sessionsArgument,
} from '../coordinators/selection.ts';
import { printJson, wantsJson } from '../output/printing.ts';
import { sessionJson, waitJson } from '../output/session-json.ts';
import { table } from '../output/table.ts';
import { defineVerb } from '../verb.ts';
import {
  checkStartWait,
  startWaitDetails,
  startWaitFlags,
  startWaitOf,
  tellStartWait,
} from './spawn.ts';

/** How many programs are started at the same time: each of them may be an agent. */
const atOnce = 4;

const flags = {
  ...selectionFlags,
  ...output,
  now: toggle('end the program first if it runs'),
  conversation: text('ID', 'conversation with which a coding agent goes on; none: begin another'),
  cwd: text('DIR', 'working directory (default: the last one)', { completes: 'file' }),
  env: programFlags.env,
  environment: environmentFlag,
  ...startWaitFlags,
};

const agentDetails =
  'A coding agent goes on with its conversation: the one that it has reported, or the only one that its files have of the directory and time of the session. If that is not certain, the session is refused, and --conversation names it. The prompt on its command line is not given again, and of its options only those that vtr knows are repeated; stderr names the others. If the agent ran in a shell, its command is typed there. A conversation is open in one session only.';

export const revive = defineVerb({
  name: 'revive',
  summary: 'start the programs of ended sessions again',
  args: { session: { ...sessionsArgument, many: true } },
  flags,
  rest: 'PROGRAM ARGS...',
  details: [
    'For sessions that exited by themselves, and for sessions that ended because the machine restarted, the daemon was stopped or the process that owned the terminals was killed. --all and globs select the latter only. A running session is not revived (exit status 5); with --now, it is ended first: a coding agent by the key that ends its turn, then as with vtr kill.',
    'The program starts with the same arguments, size, lifetime, limits and labels, in a session of the same name with another id. It starts in the last directory that the shell reported, or else in the directory in which the session was started. A program after -- replaces the old one and its arguments. Prints the session name; for several sessions a table, with the reason why one was not revived.',
    agentDetails,
    'The lines of the ended session are above its screen. They are not output of the new program: waits do not match them, and --since start begins below them.',
    startWaitDetails,
    'The program gets your present environment. Values of --env are never saved: stderr names the variables that the session was started with, unless --env sets them again.',
    selectionDetails,
  ],
  examples: [
    { line: 'vtr revive web', about: 'start the server of the session web again' },
    { line: 'vtr revive --all', about: 'after a reboot, start all sessions again' },
    { line: 'vtr revive --now api', about: 'restart an agent; it keeps its conversation' },
    {
      line: 'vtr revive web --wait "listening on"',
      about: 'start it, and wait until the new program listens',
    },
    { line: 'vtr revive web --env TOKEN=secret', about: 'give it a variable again' },
    { line: 'vtr revive codex -- codex resume', about: 'run another command in its place' },
  ],
  async run(context, { args, flags, rest }) {
    checkStartWait(flags);
    const asJson = await wantsJson(context, flags);
    const isEligible = (info: SessionInfo) => isLost(info) || flags.all;
    const { sessions, unmatched, isOne } = await selectSessions(
      context,
      args.session,
      flags,
      isEligible,
    );
    const request = { ...requestOf(context, flags, rest), ...startWaitOf(flags, asJson) };
    const [only] = sessions;
    if (isOne && only !== undefined) return reviveOne(context, only, request, flags, asJson);
    checkSeveral(flags, rest);
    const tries = await mapAtMost(sessions, atOnce, (each) => tryToRevive(context, each, request));
    const all = [
      ...tries,
      ...unmatched.map(({ pattern: name, error }) => ({ ...refusal(error), name })),
    ];
    if (asJson) printJson(context, { sessions: all.map(triedJson) });
    else context.out(await tableOf(flags.all ? all.filter(isTold) : all));
    if (!asJson && !all.some(isTold)) context.say('no session was lost');
    const failed = all.find(({ result }) => result === 'refused');
    return failed?.code && errorTable[failed.code].exit;
  },
});

function requestOf(
  context: Context,
  {
    now,
    conversation,
    env,
    environment,
  }: FlagValues<Pick<typeof flags, 'now' | 'conversation' | 'env' | 'environment'>>,
  rest: readonly string[] | null,
): ReviveRequest {
  const [program, ...words] = rest ?? [];
  return {
    ...(program === undefined ? {} : { program, args: words }),
    env: variablesOf(context, env),
    ...defined({
      now: now || undefined,
      environment,
      conversation: conversation === 'none' ? '' : conversation,
    }),
  };
}

/** @throws VtrError INVALID_ARGUMENT for what only one session can have */
function checkSeveral(
  { wait, conversation, now, all }: FlagValues<typeof flags>,
  rest: readonly string[] | null,
): void {
  const option = [
    wait !== undefined && '--wait',
    conversation !== undefined && conversation !== 'none' && '--conversation',
    rest !== null && 'a program',
    all && now && '--now',
  ].find((each) => each !== false);
  if (option === undefined) return;
  const message = `${option} ${all ? 'and --all cannot be used together' : 'needs a single session'}`;
  throw new VtrError('INVALID_ARGUMENT', message);
}

async function reviveOne(
  context: Context,
  { coordinator, coordinatorName, ref }: SelectedSession,
  request: ReviveRequest,
  flags: FlagValues<typeof startWaitFlags> & { readonly cwd?: string | undefined },
  asJson: boolean,
): Promise<number | undefined> {
  const revived = await coordinator.revive(ref, {
    ...request,
    ...directoryOf(context, flags.cwd, coordinator.socket),
    ...(await callerOf(context, coordinator.socket)),
  });
  const { name, wait } = revived;
  tellRevived(context, coordinatorName, revived, asJson);
  return wait === undefined ? undefined : tellStartWait(context, name, wait, flags, asJson);
}

function tellRevived(
  context: Context,
  coordinatorName: string,
  revived: RevivedSession,
  asJson: boolean,
): void {
  const { name, missingEnv = [], resumed, wait } = revived;
  if (asJson) {
    const session = sessionJson(coordinatorName, revived);
    const end = wait === undefined ? {} : { wait: waitJson(name, wait) };
    const more = { missing_env: missingEnv, resumed: resumedJson(resumed), ...end };
    printJson(context, { ...session, ...more });
  } else {
    context.out(`${name}\n`);
    tellNotPassed(context, revived);
  }
  for (const text of notesOf(revived)) context.say(text);
}

/** What stderr says about a session that was revived. */
function notesOf({ missingEnv = [], resumed }: RevivedSession): string[] {
  const { leftOut = [], line } = resumed ?? {};
  return [
    missingEnv.length > 0 &&
      `started without ${missingEnv.join(', ')}: values of --env are not saved; give them again with --env`,
    leftOut.length > 0 && `options that are not repeated: ${leftOut.join(', ')}`,
    line !== undefined && `the shell showed no prompt; start the agent with: ${line}`,
  ].filter((each) => each !== false);
}

const resumedJson = (resumed: ResumedAgent | undefined) =>
  resumed === undefined
    ? null
    : {
        agent: resumed.kind,
        conversation: resumed.conversation ?? null,
        left_out: resumed.leftOut,
        line: resumed.line ?? null,
      };

/** What became of a session that was to be revived. `kept`: it runs, or its program ended by itself. */
interface Tried {
  readonly coordinator?: string;
  readonly name: string;
  readonly result: 'revived' | 'kept' | 'refused';
  readonly reason?: string;
  readonly code?: VtrError['code'];
  readonly resumed?: ResumedAgent;
  readonly notes?: readonly string[];
}

async function tryToRevive(
  context: Context,
  { coordinator, coordinatorName, name, ref }: SelectedSession,
  request: ReviveRequest,
): Promise<Tried> {
  const about = { coordinator: coordinatorName, name };
  try {
    const info = await coordinator.info(ref);
    if (info.state === 'running' && !request.now) {
      return { ...about, result: 'kept', reason: 'it runs' };
    }
    if (typeof ref !== 'string' && info.state === 'exited' && !isLost(info)) {
      return { ...about, result: 'kept', reason: 'its program ended by itself, or was ended' };
    }
    const caller = await callerOf(context, coordinator.socket);
    const revived = await coordinator.revive(ref, { ...request, ...caller });
    const { resumed } = revived;
    return { ...about, result: 'revived', notes: notesOf(revived), ...defined({ resumed }) };
  } catch (error) {
    return { ...about, ...refusal(error) };
  }
}

function refusal(thrown: unknown): Pick<Tried, 'result' | 'reason' | 'code'> {
  const { code, message, details } = asVtrError(thrown);
  // Another call, or the daemon at its start, was faster.
  const isThere = code === 'SESSION_ALREADY_EXISTS' && details['conversation'] === undefined;
  return { result: isThere ? 'kept' : 'refused', reason: message, code };
}

/** Whether people want to know of it: not of the many sessions that simply run. */
const isTold = ({ result, reason }: Tried): boolean => result !== 'kept' || reason !== 'it runs';

const triedJson = ({ coordinator, name, result, reason, resumed, notes = [] }: Tried) => ({
  coordinator: coordinator ?? null,
  name,
  result,
  reason: reason ?? null,
  resumed: resumedJson(resumed),
  notes,
});

function tableOf(tried: readonly Tried[]): Promise<string> | string {
  if (tried.length === 0) return '';
  const rows = tried.map(({ name, result, reason, resumed, notes = [] }) => {
    const agent =
      resumed &&
      `${resumed.kind} ${resumed.conversation === undefined ? 'begins another conversation' : `goes on with ${resumed.conversation}`}`;
    return [
      name,
      result,
      [agent, reason, ...notes].filter((each) => each !== undefined).join('; '),
    ];
  });
  return table(['SESSION', 'RESULT', 'DETAILS'], rows);
}

export const fork = defineVerb({
  name: 'fork',
  summary: "copy a coding agent's conversation into a new session",
  args: {
    session: sessionArgument,
    name: { about: 'name of the second session (default: generated)', optional: true },
  },
  flags: {
    coordinator: selectionFlags.coordinator,
    ...output,
    conversation: text('ID', 'conversation to copy (default: that of the session)'),
    cwd: text('DIR', 'working directory (default: that of the session)', { completes: 'file' }),
    env: programFlags.env,
    environment: environmentFlag,
    ...startWaitFlags,
  },
  details: [
    'The agent itself copies its conversation, where it can: Claude Code, Codex and OpenCode can. The session stays as it is, running or ended. Both conversations go on apart; their files are in the same directory, unless --cwd gives another one.',
    'The second session has the same program, options, size, lifetime, limits and labels. Prints its name.',
    startWaitDetails,
  ],
  examples: [
    { line: 'vtr fork api', about: 'try another way from here, in a session with a new name' },
    { line: 'vtr fork api api-2 --json', about: 'choose the name; print all about it' },
  ],
  async run(context, { args, flags }) {
    checkStartWait(flags);
    const asJson = await wantsJson(context, flags);
    const target = await findSession(context, args.session, flags);
    const forked = await target.coordinator.revive(target.session, {
      ...requestOf(context, { ...flags, now: false }, null),
      forkAs: args.name ?? '',
      ...directoryOf(context, flags.cwd, target.coordinator.socket),
      ...(await callerOf(context, target.coordinator.socket)),
      ...startWaitOf(flags, asJson),
    });
    tellRevived(context, target.coordinatorName, forked, asJson);
    const { name, wait } = forked;
    return wait === undefined ? undefined : tellStartWait(context, name, wait, flags, asJson);
  },
});
