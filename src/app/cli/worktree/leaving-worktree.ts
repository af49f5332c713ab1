import { existsSync } from 'node:fs';
import { shellQuoted } from '#base';
import { gitIn, listWorktrees, mainWorktree } from '#git';
import type { SessionWorktree } from '#model';
import type { Context } from '../context.ts';

/** A worktree that is about to be removed. */
export interface LeavingWorktree {
  /** Tells that the worktree stays, and how to remove it. */
  tellStays(): void;
  /**
   * Removes the worktree. Its branch stays.
   *
   * @param force also with files that are not committed
   * @throws VtrError IO_ERROR with git's words
   */
  remove(force: boolean): Promise<void>;
}

/** Finds the repository of a worktree while that is there. Null if it is gone, or git does not know it. */
export async function leavingWorktree(
  context: Context,
  { path }: SessionWorktree,
): Promise<LeavingWorktree | null> {
  if (!existsSync(path)) return null;
  const listed = await listWorktrees(gitIn(context, path)).catch(() => []);
  const own = listed.find((each) => each.path === path);
  if (own === undefined || own === listed[0]) return null;
  const main = mainWorktree(listed, path);
  const git = gitIn(context, main, 'IO_ERROR');
  const command = `git -C ${shellQuoted(main)} worktree remove ${shellQuoted(path)}`;
  return {
    tellStays: () => context.say(`worktree ${path} stays; remove it with: ${command}`),
    async remove(force) {
      if (!existsSync(path)) return;
      await git.output('worktree', 'remove', ...(force ? ['--force'] : []), '--', path);
      const branch = own.branch === undefined ? '' : `; branch ${own.branch} stays`;
      context.say(`removed worktree ${path}${branch}`);
    },
  };
}
