import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { isNotRunning } from '#app/client';
import { defined, ignored } from '#base';
import type { ClientConfig } from '#config';
import {
  asVtrError,
  directoryOf,
  maxSide,
  type SessionInfo,
  type Size,
  sizings,
  VtrError,
  withTilde,
} from '#model';
import { type FlagValues, oneOf, text, toggle } from '../arguments/flags.ts';
import { filterText, hasLabels, labelFilters } from '../arguments/label-flags.ts';
import { reach, sessionArgument, shellIn } from '../arguments/shared-flags.ts';
import { verbLine } from '../completion/verb-line.ts';
import type { Context } from '../context.ts';
import {
  coordinatorForSession,
  findSession,
  listSessions,
  type Target,
  targetAt,
} from '../coordinators/addressing.ts';
import {
  chosenCoordinators,
  type KnownCoordinator,
  linkOptions,
} from '../coordinators/known-coordinators.ts';
import { spawnAt } from '../coordinators/with-daemon.ts';
import { defineVerb } from '../verb.ts';
import { attachKeys } from './key-help.gen.ts';

const flags = {
  ...reach,
  create: toggle('start your shell in a session of this name if there is none', { short: 'c' }),
  take: toggle('hold the session: agents and other people wait'),
  force: toggle('with --take, take it also from another person who holds it'),
  watch: toggle('watch: do not type or resize before Ctrl+b t'),
  label: labelFilters,
  dir: text('DIR', 'only sessions in this directory, or below it', { completes: 'file' }),
  leader: text('KEY', 'key before the commands below, such as ctrl+a, or none (default: ctrl+b)'),
  'exit-status': toggle('end with the program, and with its exit status'),
  status: oneOf(
    ['on', 'off', 'auto'],
    'WHEN',
    'status line: on (default), off, or auto where rows are free',
  ),
  size: oneOf(
    sizings,
    'WHOSE',
    'whose windows size the session from now on: latest, smallest or manual (default: as before)',
  ),
  raw: toggle('pass output and keys on unchanged; needs a terminal like the program expects'),
};

type Given = FlagValues<typeof flags>;

export const attach = defineVerb({
  name: 'attach',
  summary: 'show a session in this terminal, and type in it',
  args: { session: { ...sessionArgument, optional: true } },
  flags,
  details: [
    'Without SESSION, attaches to the only session. If there are several, shows them: type letters of a name, or of where it runs, and Enter. With --label or --dir, only the sessions of this group count, and the keys for the next and the previous session stay in it.',
    'With --create, starts the session if there is none of this name; vtr new does so with another program.',
    'What you type reaches the program, whatever agents and other terminals of yours do; agents wait for 5 seconds after it (wait_for_person in server.toml). Ctrl+b t holds the session: all others wait until you press it again, which gives back with a note for the agent. Your keys are refused only while another person holds the session; the status line names that person.',
    'The session has the size of the terminal in which a person typed last, and keeps it. With --size smallest, it has that of the smallest terminal in which a person may type; with --size manual, only vtr resize and Ctrl+b r change it. sizing in server.toml says which new sessions have. With --watch, no key reaches the program.',
    'Keys after Ctrl+b:',
    attachKeys,
    'When the program ends, its last screen stays: Enter starts it again, x removes the session, q leaves.',
    'The leader is configured by leader in [attach] of config.toml, and the other keys by [keys.attach], [keys.scroll] and [keys.ended]; with preset = "tmux" in [keys], they are those of tmux. [keys.direct] gives keys without the leader. See docs/attach.md and docs/keys.md.',
    'Exit status: 0 after detaching, 3 if the coordinator is lost, 2 without a terminal or inside the same session; with --exit-status, that of the program.',
  ],
  examples: [
    { line: 'vtr attach codex', about: 'show the session, and type unless an agent does' },
    { line: 'vtr attach -c notes', about: 'show the session, and start it if needed' },
    { line: 'vtr attach codex --take', about: 'hold the session' },
    { line: 'vtr attach codex --watch', about: 'watch only' },
    { line: 'vtr attach --label project=web', about: 'choose a session of a project' },
  ],
  async run(context, { args, flags }) {
    checkFlags(flags);
    const group = groupOf(context, flags);
    const target = flags.create
      ? await targetOrNew(context, args.session, flags)
      : await targetOf(context, args.session, flags, group);
    return showSession(context, target, flags, group);
  },
});

/**
 * Shows a session in this terminal until its person leaves. Without one, the person chooses.
 *
 * @returns the exit status. @throws VtrError
 */
export async function showSession(
  context: Context,
  target: Target | null,
  flags: Partial<Given>,
  group: ReturnType<typeof groupOf> = null,
): Promise<number | undefined> {
  const first =
    target?.coordinator.frame(target.session).then((frame) => {
      checkOther(context, frame.info);
      return frame;
    }) ?? null;
  ignored(first, 'it is awaited below, and may fail before');
  const { attach: configured, keys } = await context.config();
  // The coordinator answers while this process loads what shows the answer.
  await setImmediate();
  await setImmediate();
  const { attach: show, linkTo } = await import('#app/tui');
  // Who names a coordinator chooses among its sessions.
  const coordinators = () =>
    chosenCoordinators(context, target === null ? flags.coordinator : undefined);
  const linkOf = (each: KnownCoordinator) => linkTo(linkOptions(context, each));
  const { status, said } = await show({
    env: context.env,
    exitStatus: flags['exit-status'] ?? false,
    raw: flags.raw ?? false,
    link: linkOf(placeOf(target, await coordinators())),
    links: async () => (await coordinators()).map(linkOf),
    first,
    ...defined({ sizing: flags.size }),
    as: flags.watch ? 'watch' : flags.force ? 'force' : flags.take ? 'take' : 'auto',
    ...settingsOf(configured, { keys, leader: flags.leader, status: flags.status }),
    group,
    verbs: verbLine(context),
  });
  if (said !== '') context.say(said);
  return status;
}

/** @throws VtrError INVALID_ARGUMENT for flags that exclude each other, and without a terminal */
function checkFlags({ take, force, watch, raw }: Given): void {
  if (force && !take) throw new VtrError('INVALID_ARGUMENT', '--force needs --take');
  const other = take ? '--take' : raw ? '--raw' : null;
  if (watch && other !== null) {
    throw new VtrError('INVALID_ARGUMENT', `--watch and ${other} cannot be used together`);
  }
  if (isInTerminal()) return;
  const message =
    'vtr attach needs a terminal at stdin and stdout; in a script, use vtr screen, vtr read and vtr send';
  throw new VtrError('INVALID_ARGUMENT', message);
}

/** Whether a person can use this process: stdin and stdout are a terminal. */
export const isInTerminal = (): boolean => isatty(0) && isatty(1);

/**
 * Returns the named session, and starts the user's shell in it if there is none.
 *
 * @throws VtrError INVALID_ARGUMENT without a name, as `spawn`
 */
async function targetOrNew(
  context: Context,
  session: string | undefined,
  flags: Pick<Given, 'coordinator' | 'raw' | 'status'>,
): Promise<Target> {
  if (session === undefined) {
    throw new VtrError('INVALID_ARGUMENT', '--create needs the name of a SESSION');
  }
  try {
    const target = await findSession(context, session, flags);
    await target.coordinator.info(target.session);
    return target;
  } catch (error) {
    if (asVtrError(error).code !== 'SESSION_NOT_FOUND' && !isNotRunning(error)) throw error;
  }
  const { coordinator, session: name = session } = await coordinatorForSession(
    context,
    session,
    flags,
  );
  const size = await shownSize(context, flags);
  const request = { name, ...shellIn(context, coordinator.socket), ...size };
  await spawnAt(context, coordinator, request, { mayStart: true }).catch((error) => {
    // Somebody else has started it by now.
    if (asVtrError(error).code !== 'SESSION_ALREADY_EXISTS') throw error;
  });
  return targetAt(context, coordinator, name);
}

/** Returns the size in which `vtr attach` would show a session in this terminal; none if it is not known. */
export async function shownSize(
  context: Context,
  { status, raw }: Partial<Pick<Given, 'status' | 'raw'>>,
): Promise<{ size?: Size }> {
  const { columns: cols = 0, rows = 0 } = process.stdout;
  const isSize = [cols, rows].every((side) => side >= 1 && side <= maxSide);
  if (!isSize) return {};
  const { attach: configured } = await context.config();
  const hasStatus = !raw && (status ?? configured.status) === 'on' && rows > 1;
  return { size: { cols, rows: hasStatus ? rows - 1 : rows } };
}

/** Returns the coordinator of a session; without one, the first of those that are known. */
function placeOf(
  target: Target | null,
  coordinators: readonly KnownCoordinator[],
): KnownCoordinator {
  const [first] = coordinators;
  if (target === null && first !== undefined) return first;
  const socket = target?.coordinator.socket ?? '';
  const name = target?.coordinatorName ?? '';
  return coordinators.find((each) => each.socket === socket) ?? { name, socket, pattern: null };
}

/** Returns what people configured, and gave as flags, for all sessions. */
export const settingsOf = (
  configured: ClientConfig['attach'],
  {
    keys,
    leader,
    status,
  }: {
    readonly keys: ClientConfig['keys'];
    readonly leader: string | undefined;
    readonly status?: ClientConfig['attach']['status'] | undefined;
  },
) => ({
  leader: leader ?? configured.leader,
  keys,
  statusLine: status ?? configured.status,
  clipboard: configured.clipboard === 'write',
  bell: configured.bell,
  notifications: configured.notifications,
  passesStatus: configured.programStatus === 'pass',
  usesMouse: configured.mouse === 'on',
  predict: configured.predict,
  copyCommand: configured.copyCommand,
  remains: configured.remainOnExit,
  statusLeft: configured.statusLeft,
  statusRight: configured.statusRight,
});

/** Returns the sessions with the labels, and in the directory, of the flags; null without such a flag. */
function groupOf(
  context: Context,
  { label, dir }: FlagValues<typeof flags>,
): { name: string; has: (info: SessionInfo) => boolean } | null {
  if (label.length === 0 && dir === undefined) return null;
  const directory = dir === undefined ? null : resolve(context.cwd, dir);
  const place = directory === null ? [] : [withTilde(directory, context.env['HOME'])];
  const isThere = (info: SessionInfo) =>
    directory === null || `${directoryOf(info)}/`.startsWith(`${directory.replace(/\/$/, '')}/`);
  return {
    name: [...label.map(filterText), ...place].join(' '),
    has: (info) => hasLabels(info, label) && isThere(info),
  };
}

/**
 * Returns the named session, or the only one there is; null if there are several, among which the person chooses.
 *
 * @throws VtrError INVALID_ARGUMENT with `--raw` if there are several; SESSION_NOT_FOUND
 */
async function targetOf(
  context: Context,
  session: string | undefined,
  flags: { readonly coordinator?: string | undefined; readonly raw: boolean },
  group: ReturnType<typeof groupOf>,
): Promise<Target | null> {
  if (session !== undefined) return findSession(context, session, flags);
  const answers = await listSessions(context, flags.coordinator);
  const all = answers.flatMap(({ coordinator, sessions }) =>
    sessions.filter((info) => group?.has(info) ?? true).map(({ name }) => ({ coordinator, name })),
  );
  const [only, ...more] = all;
  if (only === undefined && group !== null)
    throw new VtrError('SESSION_NOT_FOUND', `no session is in the group ${group.name}`);
  if (only === undefined) {
    throw new VtrError('SESSION_NOT_FOUND', 'there are no sessions; start one with vtr spawn NAME');
  }
  if (more.length === 0) return targetAt(context, only.coordinator, only.name);
  if (!flags.raw) return null;
  const names = all.map(({ coordinator, name }) =>
    answers.length > 1 ? `${coordinator.name}:${name}` : name,
  );
  const message = `there are ${all.length} sessions; name one of them:`;
  throw new VtrError('INVALID_ARGUMENT', [message, ...names].join('\n  '));
}

/** @throws VtrError INVALID_ARGUMENT for the session in which this process runs: it would show itself */
function checkOther({ env }: Context, { id, name }: SessionInfo): void {
  if (env['VTR_SESSION_ID'] !== id) return;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `this is session ${name}: it cannot be attached to itself`,
  );
}
