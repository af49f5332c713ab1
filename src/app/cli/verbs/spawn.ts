import { defined } from '#base';
import {
  defaultSize,
  maxSide,
  type SessionLifetime,
  type SessionLimits,
  type Size,
  VtrError,
  type WaitRequest,
  type WaitResult,
} from '#model';
import type { CommandRequest } from '#wire/service/short';
import { duration, type FlagValues, text, toggle, wholeNumber } from '../arguments/flags.ts';
import { inputIdFlag, inputIdOf } from '../arguments/sender-flags.ts';
import {
  environmentDetails,
  output,
  programFlags,
  programOf,
  reach,
} from '../arguments/shared-flags.ts';
import {
  checkWaitFlags,
  conditionsIn,
  patternsOf,
  waitFlag,
  waitFlags,
  waitRequest,
} from '../arguments/wait-flags.ts';
import { inWorktree, worktreeDetails, worktreeFlags } from '../arguments/worktree-flags.ts';
import { tellNotPassed } from '../caller.ts';
import type { Context } from '../context.ts';
import { coordinatorForSession } from '../coordinators/addressing.ts';
import { spawnAt } from '../coordinators/with-daemon.ts';
import { printJson, wantsJson } from '../output/printing.ts';
import { sessionJson, waitJson } from '../output/session-json.ts';
import { printWait, statusOfWait } from '../output/wait-text.ts';
import { defineVerb } from '../verb.ts';

// All output is new: there is no mark.
const { since: _, ...conditions } = waitFlags;

/** The flags of verbs that start a program and can wait for its output. */
export const startWaitFlags = {
  wait: waitFlag,
  timeout: duration("with --wait, the wait's timeout (default 30s)"),
  ...conditions,
};

/** The flags of verbs that start a session and leave it. */
export const sessionFlags = {
  ...programFlags,
  cols: wholeNumber('N', 'columns of the screen (default 80)', { from: 1, to: maxSide }),
  rows: wholeNumber('N', 'rows of the screen (default 24)', { from: 1, to: maxSide }),
  'no-shell-integration': toggle('do not make the shell mark its commands'),
  'idle-timeout': duration('end and remove the session when unused for DURATION'),
  'keep-exited': duration('remove the session DURATION after the program exits'),
  'max-run': duration('end the program when it has run for DURATION'),
  'max-memory': wholeNumber('MIB', 'memory limit in MiB; the program is ended above it', {
    from: 1,
  }),
  'max-cpu': wholeNumber('PERCENT', 'CPU limit in percent of all processors; throttled above it', {
    from: 1,
    to: 100,
  }),
  'no-persist': toggle('do not save the session on disk'),
  record: toggle('record the session to a file; vtr record ls lists it'),
  'record-input': toggle('as --record, with what is typed, except passwords'),
  agent: text('KIND', 'the program is a coding agent of KIND; without PROGRAM, run its command'),
  ...worktreeFlags,
  'no-start': toggle('fail if no coordinator is running'),
};

const flags = {
  ...reach,
  ...output,
  ...sessionFlags,
  reuse: toggle('return the session of that name if it runs the same program'),
  ...inputIdFlag,
  ...startWaitFlags,
  // Not the condition of a wait.
  agent: sessionFlags.agent,
};

export const startWaitDetails =
  'With --wait, returns once output matches RE or another condition is met; the wait covers all output of the program from its first byte on. Prints the session name, then what vtr wait prints, and exits with the status of vtr wait. The session stays, however the wait ends.';

export const spawn = defineVerb({
  name: 'spawn',
  summary: 'start a program in a new session',
  args: {
    name: { about: 'session name, or COORDINATOR:NAME (default: generated)', optional: true },
  },
  flags,
  otherFlags: { d: 'vtr spawn, which does not wait', s: 'vtr spawn NAME' },
  rest: 'PROGRAM ARGS...',
  details: [
    'Runs your shell if no program is given. Prints the session name. The session stays until vtr rm, even after the program exits, unless --idle-timeout or --keep-exited removes it. Typing, reading, searching, waiting, watching and output count as use.',
    environmentDetails,
    'Limits cover the program and its descendants; they are checked about once a second.',
    'With --reuse, if a session of that name runs the same program with the same arguments, returns that session and adds the labels of --label; other flags are ignored. An exited session of that name is replaced. If the session runs another program, the command fails (exit status 5).',
    startWaitDetails,
    worktreeDetails,
    '--agent KIND sets the label agent=KIND, by which the session is known as that of an agent, whatever its program is. Without a program, runs the command of the kind. With --wait and no other condition, waits until the agent is idle or asks; see vtr start.',
    'The session is created on your own coordinator, or on the one that you name. The coordinator is started if needed. If a coordinator was killed and its sessions continue, every verb starts it again. Otherwise, spawn, new, attach --create, exec and publish are the only session verbs that start one.',
  ],
  examples: [
    { line: 'vtr spawn codex', about: 'start your shell in a session named codex' },
    {
      line: 'vtr spawn build --cmd "make -j4 && make check"',
      about: 'run a command line in the shell',
    },
    {
      line: 'vtr spawn edit --size 120x40 -- vim notes.txt',
      about: 'run a program with arguments',
    },
    {
      line: 'vtr spawn web --reuse --label team=web -- npm run dev',
      about: 'start a server unless it runs',
    },
    {
      line: 'vtr spawn web --wait "listening on (.*)" --stop "Error" -- npm run dev',
      about: 'start a server and wait until it listens',
    },
    {
      line: 'vtr spawn --worktree fix-login -- npm test',
      about: 'run a program in a worktree of its own',
    },
    { line: 'vtr spawn project-a:shell', about: 'use the coordinator project-a' },
  ],
  async run(context, input) {
    const { coordinator, session } = await coordinatorForSession(
      context,
      input.args.name,
      input.flags,
    );
    const flags = withAgentStates(input.flags);
    checkStartWait(flags, '; --max-run limits the program');
    const asJson = await wantsJson(context, flags);
    const spawn = {
      ...sessionRequest(context, input.flags, input.rest ?? [], coordinator.socket),
      ...defined({ name: session, reuse: flags.reuse || undefined }),
      ...inputIdOf(flags),
      ...startWaitOf(flags, asJson),
    };
    const placed = await inWorktree(context, flags, coordinator.socket, spawn);
    const spawned = await spawnAt(placed.context, coordinator, placed.request, {
      mayStart: !flags['no-start'],
      derivedName: placed.derivedName,
    });
    const { name, reused = false, wait } = spawned;
    if (asJson) {
      const end = wait === undefined ? {} : { wait: waitJson(name, wait) };
      printJson(context, { ...sessionJson(coordinator.name, spawned), reused, ...end });
    } else {
      context.out(`${name}\n`);
      if (!reused) tellNotPassed(context, spawned);
    }
    return wait === undefined ? undefined : tellStartWait(context, name, wait, flags, asJson);
  },
});

/** Without another condition, a wait with `--agent KIND` is for the states in which the agent needs somebody. */
function withAgentStates({
  agent,
  ...options
}: FlagValues<typeof flags>): FlagValues<typeof flags> {
  const rest = { ...options, agent: undefined };
  const waits = agent !== undefined && options.wait === '' && conditionsIn(rest).length === 0;
  return waits ? { ...rest, agent: 'idle,asks' } : rest;
}

/**
 * Returns the request for a session without a name.
 *
 * @param rest the words after `--`
 * @param place socket or address of the coordinator
 * @throws VtrError INVALID_ARGUMENT
 */
export function sessionRequest(
  context: Context,
  flags: FlagValues<typeof sessionFlags>,
  rest: readonly string[],
  place: string,
): CommandRequest {
  return {
    ...programOf(context, flags, rest, place),
    ...sizeOf(flags),
    ...(flags['no-shell-integration'] ? { shellIntegration: false } : {}),
    ...lifetimeOf(flags),
    ...limitsOf(flags),
    ...defined({ agent: flags.agent }),
    ...(flags['no-persist'] ? { persist: false } : {}),
    ...(flags.record || flags['record-input'] ? { record: true } : {}),
    ...(flags['record-input'] ? { recordInput: true } : {}),
  };
}

function lifetimeOf(values: FlagValues<typeof sessionFlags>): { lifetime?: SessionLifetime } {
  const { 'idle-timeout': idleMs, 'keep-exited': keepExitedMs, 'max-run': maxRunMs } = values;
  const lifetime = defined({ idleMs, keepExitedMs, maxRunMs });
  return Object.keys(lifetime).length === 0 ? {} : { lifetime };
}

const mebibyte = 1024 * 1024;

function limitsOf(values: FlagValues<typeof sessionFlags>): { limits?: SessionLimits } {
  const { 'max-memory': mebibytes, 'max-cpu': cpuPercent } = values;
  const limits = {
    ...(mebibytes === undefined ? {} : { memoryBytes: mebibytes * mebibyte }),
    ...defined({ cpuPercent }),
  };
  return Object.keys(limits).length === 0 ? {} : { limits };
}

/**
 * Empty if no flag sets a side: the coordinator has its own default.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
function sizeOf({ cols, rows, size: both }: FlagValues<typeof sessionFlags>): { size?: Size } {
  const side = cols !== undefined ? 'cols' : rows !== undefined ? 'rows' : null;
  if (both !== undefined && side !== null) {
    throw new VtrError('INVALID_ARGUMENT', `--size and --${side} cannot be used together`);
  }
  if (both !== undefined) return { size: both };
  if (side === null) return {};
  return { size: { cols: cols ?? defaultSize.cols, rows: rows ?? defaultSize.rows } };
}

type Given = FlagValues<typeof startWaitFlags>;

/** @throws VtrError INVALID_ARGUMENT for flags that need `--wait` */
export function checkStartWait(values: Given, aboutTimeout = ''): void {
  checkWaitFlags(values);
  if (values.timeout === undefined || values.wait !== undefined) return;
  throw new VtrError('INVALID_ARGUMENT', `--timeout needs --wait${aboutTimeout}`);
}

/** Returns the wait of a request. */
export function startWaitOf(values: Given, asJson: boolean): { wait?: WaitRequest } {
  if (values.wait === undefined) return {};
  const timeout = values.timeout === undefined ? {} : { timeoutMs: values.timeout };
  return { wait: { ...waitRequest(values, patternsOf(values), asJson), ...timeout } };
}

/** Prints how the wait ended, unless JSON has it. @returns the exit status */
export function tellStartWait(
  context: Context,
  name: string,
  wait: WaitResult,
  values: Given,
  asJson: boolean,
): number {
  const patterns = patternsOf(values);
  if (!asJson) printWait(context, name, wait, values, patterns);
  return statusOfWait(wait, values, patterns);
}
