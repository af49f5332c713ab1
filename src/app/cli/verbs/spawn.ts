import { resolve } from 'node:path';
import {
  defaultSize,
  maxSide,
  type SessionLifetime,
  type SessionLimits,
  type Size,
  VtrError,
} from '#model';
import type { CommandRequest } from '#wire/service/short';
import {
  assignments,
  duration,
  type FlagValues,
  oneOf,
  size,
  text,
  toggle,
  wholeNumber,
} from '../arguments/flags.ts';
import { output, reach } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { placeForSession } from '../coordinators/addressing.ts';
import { spawnAt } from '../coordinators/spawn-at.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { sessionJson } from '../output/session-json.ts';
import { defineVerb, type Input } from '../verb.ts';

const flags = {
  ...reach,
  ...output,
  cmd: text('LINE', 'a program, or a line for the shell when it has more than one word'),
  cwd: text('FOLDER', 'where it starts; the current folder if not given', { completes: 'file' }),
  env: assignments('NAME=VALUE', 'added to its environment; may be given again'),
  environment: oneOf(['inherit', 'minimal'], 'KIND', 'what it inherits: inherit or minimal'),
  cols: wholeNumber('N', 'columns of its screen', { from: 1, to: maxSide }),
  rows: wholeNumber('N', 'rows of its screen', { from: 1, to: maxSide }),
  size: size('both at once, as in 120x40'),
  'no-shell-integration': toggle('do not make the shell mark its commands'),
  'idle-timeout': duration('ends and removes it when nobody uses it for so long'),
  'keep-exited': duration('removes it so long after its program has ended'),
  'max-run': duration('ends its program when it has run for so long'),
  'max-memory': wholeNumber('MIB', 'ends it when it takes more memory, in MiB', { from: 1 }),
  'max-cpu': wholeNumber('PERCENT', 'of all processors; it waits where it takes more', {
    from: 1,
    to: 100,
  }),
  'no-start': toggle('fail where no coordinator runs, instead of starting one'),
};

export const spawn = defineVerb({
  name: 'spawn',
  summary: 'start a program in a new session',
  args: { name: { about: 'its name; made up if not given', optional: true } },
  flags,
  rest: 'PROGRAM ARGS...',
  details: [
    'Without a program it is your shell. The name is printed. The session stays until vtr rm, also after its program has ended, if --idle-timeout and --keep-exited do not say otherwise. It is used by who types, reads, searches, waits or watches, and by its program when it writes.',
    'Limits are of the program together with all that it starts, and kept by looking at them about once a second.',
    'It goes to your own coordinator, or to the one that you name; where none runs, one is started. No other verb has use for a coordinator that has no sessions, so none else starts one.',
  ],
  examples: [
    { line: 'vtr spawn codex', about: 'your shell in a session named codex' },
    { line: 'vtr spawn build --cmd "make -j4 && make check"', about: 'a line for the shell' },
    { line: 'vtr spawn edit --size 120x40 -- vim notes.txt', about: 'a program and its arguments' },
    { line: 'vtr spawn project-a:shell', about: 'on the coordinator project-a' },
  ],
  async run(context, input) {
    const { coordinator, session } = await placeForSession(context, input.args.name, input.flags);
    const request = requestOf(context, input, session);
    const spawned = await spawnAt(context, coordinator, request, !input.flags['no-start']);
    if (await wantsJson(context, input.flags)) {
      printJson(context, sessionJson(coordinator.name, spawned));
    } else {
      context.out(`${spawned.name}\n`);
    }
    return undefined;
  },
});

function requestOf(
  context: Context,
  { flags: given, rest }: Input<Record<never, never>, typeof flags>,
  name: string | undefined,
): CommandRequest {
  const [program, ...args] = rest ?? [];
  if (program !== undefined && given.cmd !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', 'give the program by --cmd or after --, not by both');
  }
  return {
    ...(name === undefined ? {} : { name }),
    ...(given.cmd === undefined ? {} : { command: given.cmd }),
    ...(program === undefined ? {} : { program, args }),
    ...(given.environment === undefined ? {} : { environment: given.environment }),
    ...sizeOf(given),
    ...(given['no-shell-integration'] ? { shellIntegration: false } : {}),
    ...lifetimeOf(given),
    ...limitsOf(given),
    cwd: resolve(context.cwd, given.cwd ?? '.'),
    env: Object.fromEntries(given.env),
  };
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

/** None where no flag names a side: the coordinator has a default of its own. */
function sizeOf({ cols, rows, size: both }: FlagValues<typeof flags>): { size?: Size } {
  if (both === undefined && cols === undefined && rows === undefined) return {};
  const { cols: defaultCols, rows: defaultRows } = both ?? defaultSize;
  return { size: { cols: cols ?? defaultCols, rows: rows ?? defaultRows } };
}
