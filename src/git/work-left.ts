import { existsSync } from 'node:fs';
import { shellQuoted } from '#base';
import { asVtrError, counted, type SessionWorktree, VtrError } from '#model';
import {
  type Git,
  type GitEnvironment,
  gitIn,
  type ListedWorktree,
  listWorktrees,
  mainWorktree,
} from './git.ts';
import { unmergedCommits } from './unmerged-commits.ts';

/** Each command of git may take this long, in ms. */
const checkMs = 20_000;

/** What is in a worktree and nowhere else, or only on its branch. */
interface Left {
  /** Files that git follows and that differ from the last commit. */
  readonly changed: number;
  readonly untracked: number;
  /**
   * Commits that are neither on a branch of a remote nor on the branch from which the worktree began, nor merged there as
   * other commits.
   */
  readonly commits: number;
}

/**
 * Checks that a worktree has no work that is not committed or merged. One that is gone has none.
 *
 * @param session its name as in the command
 * @throws VtrError WORK_LEFT with what is left and the commands for it; IO_ERROR if git cannot tell
 */
export async function checkNoWorkLeft(
  context: { readonly env: GitEnvironment },
  session: string,
  worktree: SessionWorktree,
): Promise<void> {
  const { path } = worktree;
  if (!existsSync(path)) return;
  const git = gitIn(context, path, 'IO_ERROR', checkMs);
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
  const commits = await unmergedCommits(git, from);
  return { changed: files.length - untracked, untracked, commits };
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
    `remove the worktree: ${git(mainWorktree(listed, path), `worktree remove ${shellQuoted(path)}`)}`,
  ];
}
