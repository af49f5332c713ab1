import {
  defaultSize,
  maxSide,
  type SessionLifetime,
  type SessionLimits,
  type Size,
  VtrError,
  type WaitRequest,
} from '#model';
import type { CommandRequest } from '#wire/service/short';
import { duration, type FlagValues, toggle, wholeNumber } from '../arguments/flags.ts';
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
  patternsOf,
  waitFlag,
  waitFlags,
  waitRequest,
} from '../arguments/wait-flags.ts';
import type { Context } from '../context.ts';
import { coordinatorForSession } from '../coordinators/addressing.ts';
import { tellNotPassed } from '../coordinators/caller.ts';
import { spawnAt } from '../coordinators/with-daemon.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { sessionJson, waitJson } from '../output/session-json.ts';
import { printWait, statusOfWait } from '../output/wait-text.ts';
import { defineVerb, type Input } from '../verb.ts';

// All output is new: there is no mark.
const { since: _, ...spawnWaitFlags } = waitFlags;

const flags = {
  ...reach,
  ...output,
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
  reuse: toggle('return the session of that name if it runs the same program'),
  ...inputIdFlag,
  wait: waitFlag,
  timeout: duration("with --wait, the wait's timeout (default 30s)"),
  ...spawnWaitFlags,
  'no-start': toggle('fail if no coordinator is running'),
};

export const spawn = defineVerb({
  name: 'spawn',
  summary: 'start a program in a new session',
  args: {
    name: { about: 'session name, or COORDINATOR:NAME (default: generated)', optional: true },
  },
  flags,
  rest: 'PROGRAM ARGS...',
  details: [
    'Runs your shell if no program is given. Prints the session name. The session stays until vtr rm, even after the program exits, unless --idle-timeout or --keep-exited removes it. Typing, reading, searching, waiting, watching and output count as use.',
    environmentDetails,
    'Limits cover the program and its descendants; they are checked about once a second.',
    'With --reuse, a session of that name that runs the same program with the same arguments is returned, with the labels of --label added; other flags are then ignored. An exited session of that name is replaced. Another running program is an error (exit status 5).',
    'With --wait, returns once output matches RE or another condition is met; the wait covers all output of the program from its first byte on. Prints the session name, then what vtr wait prints; the exit status is that of vtr wait. The session stays, however the wait ends.',
    'The session is created on your own coordinator, or on the one that you name. The coordinator is started if needed. If it was killed and its sessions continue, every verb starts it again; otherwise, of the session verbs, only spawn, exec and publish start it.',
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
    { line: 'vtr spawn project-a:shell', about: 'use the coordinator project-a' },
  ],
  async run(context, input) {
    const { coordinator, session } = await coordinatorForSession(
      context,
      input.args.name,
      input.flags,
    );
    const { flags: given } = input;
    checkWaitFlags(given);
    if (given.timeout !== undefined && given.wait === undefined) {
      throw new VtrError(
        'INVALID_ARGUMENT',
        '--timeout needs --wait; --max-run limits the program',
      );
    }
    const asJson = await wantsJson(context, given);
    const request = {
      ...requestOf(context, input, session, coordinator.socket),
      ...inputIdOf(given),
      ...waitOf(given, asJson),
    };
    const spawned = await spawnAt(context, coordinator, request, !given['no-start']);
    const { name, reused = false, wait } = spawned;
    if (asJson) {
      const end = wait === undefined ? {} : { wait: waitJson(name, wait) };
      printJson(context, { ...sessionJson(coordinator.name, spawned), reused, ...end });
    } else {
      context.out(`${name}\n`);
      if (!reused) tellNotPassed(context, spawned);
    }
    if (wait === undefined) return undefined;
    const patterns = patternsOf(given);
    if (!asJson) printWait(context, name, wait, given, patterns);
    return statusOfWait(wait, given, patterns);
  },
});

function requestOf(
  context: Context,
  { flags: given, rest }: Input<Record<never, never>, typeof flags>,
  name: string | undefined,
  place: string,
): CommandRequest {
  return {
    ...(name === undefined ? {} : { name }),
    ...programOf(context, given, rest ?? [], place),
    ...sizeOf(given),
    ...(given['no-shell-integration'] ? { shellIntegration: false } : {}),
    ...lifetimeOf(given),
    ...limitsOf(given),
    ...(given.reuse ? { reuse: true } : {}),
    ...(given['no-persist'] ? { persist: false } : {}),
    ...(given.record || given['record-input'] ? { record: true } : {}),
    ...(given['record-input'] ? { recordInput: true } : {}),
  };
}

function waitOf(given: FlagValues<typeof flags>, asJson: boolean): { wait?: WaitRequest } {
  if (given.wait === undefined) return {};
  const timeout = given.timeout === undefined ? {} : { timeoutMs: given.timeout };
  return { wait: { ...waitRequest(given, patternsOf(given), asJson), ...timeout } };
}

function lifetimeOf(given: FlagValues<typeof flags>): { lifetime?: SessionLifetime } {
  const { 'idle-timeout': idleMs, 'keep-exited': keepExitedMs, 'max-run': maxRunMs } = given;
  const lifetime = {
    ...(idleMs === undefined ? {} : { idleMs }),
    ...(keepExitedMs === undefined ? {} : { keepExitedMs }),
    ...(maxRunMs === undefined ? {} : { maxRunMs }),
  };
  return Object.keys(lifetime).length === 0 ? {} : { lifetime };
}

const mebibyte = 1024 * 1024;

function limitsOf(given: FlagValues<typeof flags>): { limits?: SessionLimits } {
  const { 'max-memory': mebibytes, 'max-cpu': cpuPercent } = given;
  const limits = {
    ...(mebibytes === undefined ? {} : { memoryBytes: mebibytes * mebibyte }),
    ...(cpuPercent === undefined ? {} : { cpuPercent }),
  };
  return Object.keys(limits).length === 0 ? {} : { limits };
}

/** Empty if no flag sets a side: the coordinator has its own default. */
function sizeOf({ cols, rows, size: both }: FlagValues<typeof flags>): { size?: Size } {
  if (both === undefined && cols === undefined && rows === undefined) return {};
  const { cols: defaultCols, rows: defaultRows } = both ?? defaultSize;
  return { size: { cols: cols ?? defaultCols, rows: rows ?? defaultRows } };
}
