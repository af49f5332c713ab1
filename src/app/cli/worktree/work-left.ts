import { existsSync } from 'node:fs';
import { shellQuoted } from '#base';
import { asVtrError, counted, type SessionWorktree, VtrError } from '#model';
import type { Context } from '../context.ts';
import { type Git, gitIn, type ListedWorktree, listWorktrees } from './git.ts';

/** What is in a worktree and nowhere else, or only on its branch. */
interface Left {
  /** Files that git follows and that differ from the last commit. */
  readonly changed: number;
  readonly untracked: number;
  /** Commits that are neither on a branch of a remote nor on the branch from which the worktree began. */
  readonly commits: number;
}

/**
 * Checks that a worktree has no work that is not committed or merged. One that is gone has none.
 *
 * @param session its name as in the command
 * @throws VtrError WORK_LEFT with what is left and the commands for it; IO_ERROR if git cannot tell
 */
export async function checkNoWorkLeft(
  context: Context,
  session: string,
  worktree: SessionWorktree,
): Promise<void> {
  const { path } = worktree;
  if (!existsSync(path)) return;
  const git = gitIn(context, path, 'IO_ERROR');
  const reason = `session ${session} was not removed: its worktree ${path}`;
  const force = `remove only the session: vtr rm ${shellQuoted(session)} --force`;
  try {
    const from = await knownFrom(git, worktree);
    const left = await leftIn(git, from);
    if (left.changed + left.untracked + left.commits === 0) return;
    const message = `${reason} has ${leftText(left, from)}`;
    const commands = commandsFor(await listWorktrees(git), path, left, from);
    throw new VtrError('WORK_LEFT', [message, ...commands, force].join('\n'));
  } catch (thrown) {
    const { code, message } = asVtrError(thrown);
    if (code === 'WORK_LEFT') throw thrown;
    throw new VtrError(code, `${reason} cannot be checked: ${message}\n${force}`);
  }
}

/** Returns the branch or commit from which a worktree began, if there still is one. */
async function knownFrom(git: Git, { from = '' }: SessionWorktree): Promise<string | null> {
  // A label can be set to any text.
  if (from === '' || from.startsWith('-')) return null;
  const isKnown = await git.succeeds('rev-parse', '--verify', '--quiet', `${from}^{commit}`);
  return isKnown ? from : null;
}

async function leftIn(git: Git, from: string | null): Promise<Left> {
  const status = await git.output('status', '--porcelain', '--untracked-files=normal');
  const files = status.split('\n').filter((line) => line !== '');
  const untracked = files.filter((line) => line.startsWith('??')).length;
  const others = from === null ? ['--remotes'] : ['--remotes', from];
  const commits = await git.output('rev-list', '--count', 'HEAD', '--not', ...others, '--');
  return { changed: files.length - untracked, untracked, commits: Number(commits) };
}

/** Returns `2 changed files, 1 untracked file and 3 commits that neither main nor a remote has`. */
function leftText({ changed, untracked, commits }: Left, from: string | null): string {
  const where = from === null ? 'no remote' : `neither ${from} nor a remote`;
  const parts = [
    ...(changed === 0 ? [] : [counted(changed, 'changed file')]),
    ...(untracked === 0 ? [] : [counted(untracked, 'untracked file')]),
    ...(commits === 0 ? [] : [`${counted(commits, 'commit')} that ${where} has`]),
  ];
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** Returns lines with the commands that show what is left, merge it and remove the worktree. */
function commandsFor(
  listed: readonly ListedWorktree[],
  path: string,
  { changed, untracked, commits }: Left,
  from: string | null,
): string[] {
  const git = (at: string, words: string) => `git -C ${shellQuoted(at)} ${words}`;
  const branch = listed.find((each) => each.path === path)?.branch;
  const into = listed.find((each) => each.branch === from);
  const range = from === null ? 'HEAD --not --remotes' : `${shellQuoted(from)}..HEAD`;
  const isMergeable = commits > 0 && into !== undefined && branch !== undefined;
  return [
    ...(changed + untracked > 0 ? [`see the files: ${git(path, 'status')}`] : []),
    ...(commits > 0 ? [`see the commits: ${git(path, `log --oneline ${range}`)}`] : []),
    ...(isMergeable ? [`merge them: ${git(into.path, `merge ${shellQuoted(branch)}`)}`] : []),
    `remove the worktree: ${git(mainOf(listed, path), `worktree remove ${shellQuoted(path)}`)}`,
  ];
}

/** The path of the main worktree of a repository, in which git runs while another one is removed. */
const mainOf = ([main]: readonly ListedWorktree[], path: string): string => main?.path ?? path;

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
  const main = mainOf(listed, path);
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
