import { basename } from 'node:path';
import { wordOrQuoted } from '#base';
import { ownSocket } from '#config';
import {
  asVtrError,
  isAddress,
  isShell,
  type SessionInfo,
  type SessionWorktree,
  type SignalName,
  signalNames,
  VtrError,
  worktreeOf,
} from '#model';
import { type Flag, toggle } from '../arguments/flags.ts';
import { output } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { actOnEach } from '../coordinators/act-on-each.ts';
import { findSession } from '../coordinators/addressing.ts';
import {
  type SelectedSession,
  type Selection,
  selectionDetails,
  selectionFlags,
  selectSessions,
  sessionsArgument,
} from '../coordinators/selection.ts';
import { defineVerb } from '../verb.ts';

const signal: Flag<SignalName> = {
  about: 'signal to send (default TERM)',
  value: 'NAME',
  short: 's',
  completes: signalNames,
  read: (word) => {
    const name = word.toUpperCase().replace(/^SIG/, '');
    const signal = signalNames.find((each) => each === name);
    if (signal !== undefined) return signal;
    throw new VtrError('INVALID_ARGUMENT', `use one of ${signalNames.join(', ')}`);
  },
};

export const kill = defineVerb({
  name: 'kill',
  summary: 'send a signal to the programs of sessions',
  args: { session: { ...sessionsArgument, many: true } },
  flags: { ...selectionFlags, ...output, signal },
  otherFlags: { 9: '--signal KILL' },
  details: [
    'The sessions stay. Globs and --all select only sessions whose program runs.',
    'Without --signal, sends TERM and waits at most a second for the end of the program. stderr names a program that still runs, such as an interactive shell, which ignores TERM (ended in --json: false): --signal HUP ends a shell, --signal KILL any program. With --signal, does not wait.',
    selectionDetails,
  ],
  examples: [
    { line: 'vtr kill codex', about: 'send TERM' },
    { line: 'vtr kill codex --signal INT', about: 'interrupt, as ctrl+c does' },
    { line: `vtr kill 'build-*'`, about: 'send TERM to several programs' },
  ],
  async run(context, { args, flags }) {
    const isRunning = ({ state }: SessionInfo) => state === 'running';
    if (args.session.length > 1)
      for (const word of args.session) await checkNotSignal(context, word, flags);
    const selection = await selectSessions(context, args.session, flags, isRunning);
    if (flags.signal !== undefined) {
      const name = flags.signal;
      return actOnEach(context, flags, selection, 'signalled', ({ coordinator, ref }) =>
        coordinator.kill(ref, name),
      );
    }
    const ended = new Map<SelectedSession, boolean>();
    return actOnEach(
      context,
      flags,
      selection,
      'signalled',
      async (session) => void ended.set(session, await terminate(context, session)),
      (session) => ({ ended: ended.get(session) }),
    );
  },
});

/** Returns the words by which verbs find a session. */
async function addressOf(
  context: Context,
  { coordinator, coordinatorName, name }: SelectedSession,
): Promise<string> {
  const isOwn = coordinator.socket === (await ownSocket(context));
  return isOwn ? name : `${coordinatorName}:${name}`;
}

/** How long a program that got TERM may take to end before stderr says that it runs, in ms. */
const termMs = 1_000;

/** Sends TERM, and says so if the program does not end by it. Returns whether it has ended. */
async function terminate(context: Context, session: SelectedSession): Promise<boolean> {
  const { coordinator, ref } = session;
  await coordinator.kill(ref, 'TERM');
  try {
    const { outcome } = await coordinator.wait(ref, { timeoutMs: termMs });
    if (outcome === 'exited') return true;
    const { program } = await coordinator.info(ref);
    const own = basename(program);
    const [why, end] = isShell(own) ? [' (interactive shells ignore TERM)', 'HUP'] : ['', 'KILL'];
    const shown = await addressOf(context, session);
    context.say(
      `session ${shown}: TERM was sent, and ${own} still runs${why}; to end it: vtr kill ${wordOrQuoted(shown)} --signal ${end}`,
    );
    return false;
  } catch (error) {
    // A session that is removed when its program ends is gone.
    if (asVtrError(error).code === 'SESSION_NOT_FOUND') return true;
    throw error;
  }
}

/**
 * Refuses a word that names a signal, as in kill(1), and no session: the sessions beside it would get TERM.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
async function checkNotSignal(
  context: Context,
  word: string,
  flags: Parameters<typeof findSession>[2],
): Promise<void> {
  const [, name = ''] = /^(?:SIG)?([A-Z][A-Z0-9]+|\d{1,2})$/i.exec(word) ?? [];
  const signal = signalNames.find((each) => each === name.toUpperCase());
  if (signal === undefined && !/^(?:SIG.+|\d+)$/i.test(word)) return;
  try {
    const { coordinator, session } = await findSession(context, word, flags);
    await coordinator.info(session);
  } catch (error) {
    if (asVtrError(error).code !== 'SESSION_NOT_FOUND') throw error;
    const message = `there is no session ${wordOrQuoted(word)}, and no signal was sent; give a signal with --signal ${signal ?? 'NAME'}`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
}

export const rm = defineVerb({
  name: 'rm',
  summary: 'remove sessions and end their programs',
  args: { session: { ...sessionsArgument, many: true } },
  otherFlags: { r: '--force' },
  flags: {
    ...selectionFlags,
    ...output,
    force: toggle('kill at once; also with work that is left in a worktree', { short: 'f' }),
    worktree: toggle('also remove the worktree in which the session began; its branch stays'),
    damaged: toggle('remove saved sessions that are damaged and not listed'),
  },
  details: [
    'Signals the program and its descendants to exit, and kills them after 5 seconds. If a process cannot be ended, the error names it and the session stays.',
    selectionDetails,
    'A session that began in a worktree (vtr new --worktree) is not removed while that has files that are not committed, or commits that neither the branch from which it began nor a branch of a remote has. The error has what is left and the commands for it (exit status 21). The worktree and its branch stay: --worktree removes the worktree, too, unless another session runs in it. With --force, nothing is checked; --force --worktree removes the worktree with its files.',
    'A saved session whose files are damaged cannot be listed or restored; vtr doctor names its directory. --damaged removes these directories of your own coordinator, and prints their paths. Files that another version of vtr has written, or that the system cannot read, are not removed.',
  ],
  examples: [
    { line: 'vtr rm codex', about: 'end the program and remove the session' },
    { line: `vtr rm 'build-*'`, about: 'remove all sessions whose names begin with build-' },
    { line: 'vtr rm --all --label team=web', about: 'remove all sessions with this label' },
    { line: 'vtr rm fix-login --worktree', about: 'remove the worktree of the session, too' },
    { line: 'vtr rm --damaged', about: 'remove damaged sessions' },
  ],
  async run(context, { args, flags }) {
    if (flags.damaged) {
      context.inDaemon?.decline();
      if (args.session.length > 0 || flags.all || flags.label.length > 0 || flags.coordinator) {
        const message = '--damaged cannot be used with a session, --all, --label or --coordinator';
        throw new VtrError('INVALID_ARGUMENT', message);
      }
      const { removeDamaged } = await import('../coordinators/remove-damaged.ts');
      return removeDamaged(context, flags);
    }
    const selection = await selectSessions(context, args.session, flags);
    // A worktree needs git, in a process of the caller; nothing may be removed before that is known.
    if (!selection.isOne) context.inDaemon?.decline();
    const removals = new Map<string, Promise<unknown>>();
    return actOnEach(context, flags, selection, 'removed', (session) =>
      removeSession(context, session, selection, { ...flags, removals }),
    );
  },
});

interface RemovalOptions {
  readonly force: boolean;
  /** Whether the worktree is removed, too. */
  readonly worktree: boolean;
  /** The removals of worktrees by path: several sessions may have begun in one. */
  readonly removals: Map<string, Promise<unknown>>;
}

/** @throws VtrError as `Coordinator.remove`; WORK_LEFT */
async function removeSession(
  context: Context,
  session: SelectedSession,
  { sessions }: Selection,
  { force, worktree: withWorktree, removals }: RemovalOptions,
): Promise<void> {
  const { coordinator, ref } = session;
  const worktree = await worktreeHere(session, withWorktree);
  if (worktree === null) {
    await coordinator.remove(ref, { force });
    return;
  }
  context.inDaemon?.decline();
  const { checkNoWorkLeft } = await import('#git');
  const { leavingWorktree } = await import('../worktree/leaving-worktree.ts');
  const shown = await addressOf(context, session);
  if (!force) await checkNoWorkLeft(context, shown, worktree);
  if (withWorktree) await checkUnused(session, sessions, worktree);
  const leaving = await leavingWorktree(context, worktree);
  await coordinator.remove(ref, { force });
  if (!withWorktree) {
    leaving?.tellStays();
    return;
  }
  const removal = removals.get(worktree.path) ?? leaving?.remove(force);
  if (removal !== undefined) removals.set(worktree.path, removal);
  await removal;
}

/**
 * Returns the worktree in which a session began, if it is on this machine; null if there is none.
 *
 * @throws VtrError INVALID_ARGUMENT if it is to be removed, and is on another machine
 */
async function worktreeHere(
  { coordinator, name, ref, info }: SelectedSession,
  isWanted: boolean,
): Promise<SessionWorktree | null> {
  if (isAddress(coordinator.socket)) {
    if (!isWanted) return null;
    const message = `session ${name} is at ${coordinator.socket}: run vtr rm --worktree there`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  const facts = info ?? (await coordinator.info(ref).catch(emptyUnlessUnavailable));
  return worktreeOf(facts);
}

/** A session that is not there, or cannot be restored, fails when it is removed, or is removed. */
function emptyUnlessUnavailable(thrown: unknown): Pick<SessionInfo, 'labels'> {
  if (asVtrError(thrown).code === 'UNAVAILABLE') throw thrown;
  return {};
}

/** @throws VtrError WORK_LEFT if a session that is not removed runs in the worktree */
async function checkUnused(
  { coordinator }: SelectedSession,
  removed: readonly SelectedSession[],
  { path }: SessionWorktree,
): Promise<void> {
  const names = removed.map(({ name }) => name);
  const other = (await coordinator.list()).find(
    (each) =>
      each.state === 'running' && worktreeOf(each)?.path === path && !names.includes(each.name),
  );
  if (other === undefined) return;
  const message = `session ${other.name} runs in worktree ${path}, too\nleave out --worktree`;
  throw new VtrError('WORK_LEFT', message);
}
