import { resolve } from 'node:path';
import { isAddress, sessionNameFrom, VtrError, worktreeLabels } from '#model';
import type { CommandRequest } from '#wire/service/short';
import type { Context } from '../context.ts';
import { type FlagValues, text } from './flags.ts';

/** The flags of verbs that start a session in a worktree of git. */
export const worktreeFlags = {
  worktree: text('BRANCH', 'start in the worktree of a branch of git; makes both if needed', {
    completes: 'branch',
  }),
  from: text('REF', 'with --worktree, where a new branch begins (default: HEAD)', {
    completes: 'branch',
  }),
  'worktree-dir': text(
    'DIR',
    'with --worktree, the directory of a new worktree (default: REPOSITORY.BRANCH, beside it)',
    { completes: 'file' },
  ),
};

/** What help says about them. */
export const worktreeDetails =
  'With --worktree BRANCH, the session begins in a worktree of the repository of the current directory, or of --cwd. If the branch has no worktree, it is made beside the repository, as REPOSITORY.BRANCH with - for each / of the branch. A new branch begins at --from, else at the branch of that name of the only remote that has one, else at HEAD. The default name of the session is that of the branch. vtr rm refuses while there is work in the worktree that is not committed or merged.';

/** A request for a session, placed in its worktree. */
export interface Placed {
  /** With it, the session gets no variables that name another repository. */
  readonly context: Context;
  readonly request: CommandRequest;
  /** A name for the session, if none is given; null: there is none. */
  readonly derivedName: string | null;
}

/**
 * Returns the request for a session in the worktree that flags name, which is made if needed. Without `--worktree`, the
 * request stays as it is.
 *
 * @param place socket or address of the coordinator
 * @throws VtrError INVALID_ARGUMENT, PROGRAM_NOT_FOUND
 */
export async function inWorktree(
  context: Context,
  flags: FlagValues<typeof worktreeFlags>,
  place: string,
  request: CommandRequest,
): Promise<Placed> {
  const { worktree: branch, from, 'worktree-dir': value } = flags;
  if (branch === undefined) {
    const alone = (['from', 'worktree-dir'] as const).find((name) => flags[name] !== undefined);
    if (alone === undefined) return { context, request, derivedName: null };
    throw new VtrError('INVALID_ARGUMENT', `--${alone} needs --worktree`);
  }
  if (isAddress(place)) {
    const message = `--worktree runs git on this machine; for ${place}, run vtr with --worktree there`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  // Git may ask a person, and take long.
  context.inDaemon?.decline();
  const { makeWorktree, withoutRepository } = await import('#git');
  const directory = value === undefined ? undefined : resolve(context.cwd, value);
  const wish = { branch, from, directory };
  const worktree = await makeWorktree(context, request.cwd ?? context.cwd, wish);
  const labels = { ...request.labels, ...worktreeLabels(worktree) };
  return {
    context: Object.create(context, {
      env: { value: withoutRepository(context.env), enumerable: true },
    }),
    request: { ...request, cwd: worktree.path, labels },
    derivedName: sessionNameFrom(branch),
  };
}
