import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { defined, quoted, shellQuoted } from '#base';
import { asVtrError, checkLabels, type SessionWorktree, VtrError, worktreeLabels } from '#model';
import { type Git, type GitEnvironment, gitIn, type ListedWorktree, listWorktrees } from './git.ts';

/** A worktree that somebody wants. */
interface WantedWorktree {
  readonly branch: string;
  /** Where a new branch begins: a branch, a tag or a commit. Default: a branch of a remote of that name, else HEAD. */
  readonly from?: string | undefined;
  /** The absolute path of a new worktree. Default: `REPOSITORY.BRANCH` beside the repository. */
  readonly directory?: string | undefined;
}

/** Whose environment git gets, and who is told what was made. */
interface WorktreeContext {
  readonly env: GitEnvironment;
  say(line: string): void;
}

/**
 * Returns the worktree of a branch, and makes it if there is none; so it does the branch. Tells what it made.
 *
 * @param at a directory of the repository
 * @throws VtrError INVALID_ARGUMENT with git's words, PROGRAM_NOT_FOUND
 */
export async function makeWorktree(
  context: WorktreeContext,
  at: string,
  request: WantedWorktree,
): Promise<SessionWorktree> {
  const git = gitIn(context, at);
  const listed = await listWorktrees(git).catch((error) => {
    throw withHint(
      error,
      /not a git repository/,
      'name a directory of a repository with --cwd DIR',
    );
  });
  await checkNames(git, request);
  const { branch } = request;
  const used = listed.find((each) => each.branch === branch);
  if (used !== undefined) {
    const from = await workedOn(git, listed, branch);
    checkUsable(used, listed[0] === used, at, request);
    context.say(`worktree ${used.path} of branch ${branch}`);
    return { path: used.path, ...defined({ from }) };
  }
  const start = await startOf(git, request);
  const path = request.directory ?? besideRepository(listed[0], branch);
  const from = start?.name ?? (await workedOn(git, listed, branch));
  const worktree = { path, ...defined({ from }) };
  checkLabels(worktreeLabels(worktree));
  const track = start?.isRemote ? '--track' : '--no-track';
  const what =
    start === null ? ['--', path, branch] : [track, '-b', branch, '--', path, start.commit];
  await git.output('worktree', 'add', ...what).catch((error) => {
    const hint = 'choose another directory with --worktree-dir DIR';
    throw withHint(error, /already exists|leading directories|denied|read-only/i, hint);
  });
  const description =
    start === null ? `branch ${branch}` : `new branch ${branch} from ${start.name}`;
  context.say(`made worktree ${path}: ${description}`);
  // As git lists it.
  return { ...worktree, path: realpathSync(path) };
}

/** @throws VtrError INVALID_ARGUMENT for names that git would take for an option, or refuse */
async function checkNames(git: Git, { branch, from }: WantedWorktree): Promise<void> {
  const isRef = await git.succeeds('check-ref-format', `refs/heads/${branch}`);
  if (branch.startsWith('-') || branch === 'HEAD' || !isRef) {
    throw new VtrError('INVALID_ARGUMENT', `${quoted(branch)} is not a name of a branch`);
  }
  if (from?.startsWith('-')) {
    throw new VtrError('INVALID_ARGUMENT', `--from ${from}: a revision does not begin with -`);
  }
}

/** @throws VtrError INVALID_ARGUMENT for a branch whose worktree no session can begin in as requested */
function checkUsable(
  { path, isGone }: ListedWorktree,
  isMain: boolean,
  at: string,
  { branch, from, directory }: WantedWorktree,
): void {
  const refuse = (problem: string, hint: string) => {
    throw new VtrError('INVALID_ARGUMENT', `${problem}\n${hint}`);
  };
  if (isMain) {
    const problem = `branch ${branch} is checked out in the repository itself, ${path}`;
    refuse(problem, `name another branch, or start there with --cwd ${shellQuoted(path)}`);
  }
  if (isGone || !existsSync(path)) {
    const hint = `if it was deleted, run: git -C ${shellQuoted(at)} worktree prune`;
    refuse(`branch ${branch} has a worktree at ${path}, which is gone`, hint);
  }
  const isOther =
    directory !== undefined && (!existsSync(directory) || realpathSync(directory) !== path);
  if (isOther) {
    refuse(`branch ${branch} has a worktree at ${path}`, 'leave out --worktree-dir');
  }
  if (from !== undefined) refuse(`branch ${branch} exists`, 'leave out --from');
}

/** Where a new branch begins. */
interface Start {
  readonly commit: string;
  /** The branch of that commit; the commit itself if it was not named by a branch. */
  readonly name: string;
  /** Whether that is a branch of a remote with the same name, which the new one then tracks. */
  readonly isRemote: boolean;
}

/** Returns null if the branch exists. @throws VtrError INVALID_ARGUMENT */
async function startOf(git: Git, { branch, from }: WantedWorktree): Promise<Start | null> {
  if (await git.succeeds('show-ref', '--verify', '--quiet', `refs/heads/${branch}`)) {
    if (from === undefined) return null;
    throw new VtrError('INVALID_ARGUMENT', `branch ${branch} exists\nleave out --from`);
  }
  const remote = from === undefined ? await remoteBranch(git, branch) : null;
  const ref = from ?? remote ?? 'HEAD';
  const result = await git.run('rev-parse', '--verify', '--quiet', `${ref}^{commit}`);
  if (result.status !== 0) {
    const isEmpty = from === undefined && remote === null;
    const problem = isEmpty ? 'the repository has no commit' : `--from ${ref}: no such commit`;
    const hint = isEmpty ? 'make one first: git commit' : 'list branches with: git branch --all';
    throw new VtrError('INVALID_ARGUMENT', `${problem}\n${hint}`);
  }
  const commit = result.out.trim();
  const { out } = await git.run('rev-parse', '--abbrev-ref=strict', ref);
  const named = out.trim();
  const name = named === '' || named === 'HEAD' ? commit : named;
  return { commit: remote ?? commit, name, isRemote: remote !== null };
}

/** Returns the branch of that name of the only remote that has one, as git worktree add does; null if there is none. */
async function remoteBranch(git: Git, branch: string): Promise<string | null> {
  const pattern = `refs/remotes/*/${branch}`;
  const refs = await git.output('for-each-ref', '--format=%(refname)', pattern);
  const [only = '', ...more] = refs.split('\n');
  return only === '' || more.length > 0 ? null : only;
}

/** Returns the branch that is checked out where the caller is, or in the repository: it is for that one. */
async function workedOn(
  git: Git,
  [main]: readonly ListedWorktree[],
  branch: string,
): Promise<string | undefined> {
  const { out } = await git.run('symbolic-ref', '--quiet', '--short', 'HEAD');
  return [out.trim(), main?.branch].find((each) => each && each !== branch);
}

/** Returns the path beside a repository: that of `~/src/api` and `fix/login` is `~/src/api.fix-login`. */
function besideRepository(main: ListedWorktree | undefined, branch: string): string {
  const { path = '', isBare = false } = main ?? {};
  const leaf = branch.replaceAll('/', '-');
  if (/\/\.git\//.test(path)) {
    const message = `the repository is in ${path}, as a submodule is\nname a directory with --worktree-dir DIR`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  const name = isBare ? basename(path).replace(/\.git$/, '') : basename(path);
  // A bare repository that is hidden, such as api/.bare, has its worktrees beside it.
  const isHidden = isBare && (name === '' || name.startsWith('.'));
  return join(dirname(path), isHidden ? leaf : `${name}.${leaf}`);
}

/** Adds a hint to what git told, if that matches. */
function withHint(thrown: unknown, pattern: RegExp, hint: string): VtrError {
  const error = asVtrError(thrown);
  if (!pattern.test(error.message)) return error;
  return new VtrError(error.code, `${error.message}\n${hint}`);
}
