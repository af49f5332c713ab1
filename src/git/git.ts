import { execFile } from 'node:child_process';
import { defined } from '#base';
import { type ErrorCode, VtrError } from '#model';

/** What git may print, in bytes: a status has a line for each file. */
const maxOutput = 64 * 1024 * 1024;

/** Variables of an environment. */
export type GitEnvironment = Readonly<Record<string, string | undefined>>;

/** How git has ended. */
export interface GitEnd {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Git in a directory. */
export interface Git {
  /** Runs git to its end. @throws VtrError PROGRAM_NOT_FOUND, IO_ERROR if a signal ends it */
  run(...words: readonly string[]): Promise<GitEnd>;
  /** Returns what git prints, without the last line end. @throws VtrError with git's words, as given to {@link gitIn} */
  output(...words: readonly string[]): Promise<string>;
  /** Returns what git prints for an input, as {@link output}. */
  outputFor(input: string, ...words: readonly string[]): Promise<string>;
  /** Whether git ends with status 0. @throws VtrError as {@link run} */
  succeeds(...words: readonly string[]): Promise<boolean>;
}

/**
 * Returns git for a directory. It runs without a shell, and finds the repository by the directory alone.
 *
 * @param env of the caller
 * @param code of the error when it fails
 * @param timeoutMs ends git with SIGTERM, in ms. Default: it may take any time
 */
export function gitIn(
  { env }: { readonly env: GitEnvironment },
  directory: string,
  code: ErrorCode = 'INVALID_ARGUMENT',
  timeoutMs = 0,
): Git {
  // A status takes no lock that another git in the worktree would find; messages are looked at.
  const own = { ...withoutRepository(env), GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  const runWith = (input: string, words: readonly string[]) =>
    runGit(['-C', directory, ...words], own, timeoutMs, input);
  const run = (...words: readonly string[]) => runWith('', words);
  const outputFor = async (input: string, ...words: readonly string[]) => {
    const { status, out, err } = await runWith(input, words);
    if (status === 0) return out.replace(/\n$/, '');
    const [what = ''] = words;
    throw new VtrError(code, `git ${what}: ${problemIn(err)}`);
  };
  return {
    run,
    output: (...words) => outputFor('', ...words),
    outputFor,
    succeeds: async (...words) => (await run(...words)).status === 0,
  };
}

function runGit(
  words: readonly string[],
  env: GitEnvironment,
  timeout: number,
  input: string,
): Promise<GitEnd> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      words,
      { env, timeout, maxBuffer: maxOutput, encoding: 'utf8' },
      (error, out, err) => {
        const status = error === null ? 0 : error.code;
        if (typeof status === 'number') resolve({ status, out, err });
        else if (status === 'ENOENT')
          reject(new VtrError('PROGRAM_NOT_FOUND', 'git is not installed, or not in PATH'));
        else reject(new VtrError('IO_ERROR', `git did not end by itself: ${error?.message ?? ''}`));
      },
    );
    // Git may end before it has read all of it; its status tells.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** Returns the lines of git that state a failure, without the sign before them. */
function problemIn(err: string): string {
  const lines = err.trim().split('\n');
  const from = lines.findIndex((line) => /^(?:fatal|error): /.test(line));
  const rest = from < 0 ? lines : lines.slice(from);
  return rest.join('\n').replace(/^(?:fatal|error): /, '');
}

/**
 * The variables by which git finds a repository and its parts, of those that `git rev-parse --local-env-vars` lists: a
 * hook has them, and with them git would work in the repository of the hook.
 */
const repositoryVariables = new Set([
  ...['GIT_DIR', 'GIT_COMMON_DIR', 'GIT_WORK_TREE', 'GIT_IMPLICIT_WORK_TREE', 'GIT_PREFIX'],
  ...['GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES'],
  ...['GIT_SHALLOW_FILE', 'GIT_GRAFT_FILE', 'GIT_NAMESPACE', 'GIT_INTERNAL_SUPER_PREFIX'],
  ...['GIT_REPLACE_REF_BASE', 'GIT_NO_REPLACE_OBJECTS', 'GIT_QUARANTINE_PATH', 'GIT_CONFIG'],
]);

/** Returns an environment without the variables that name another repository. */
export const withoutRepository = (env: GitEnvironment): GitEnvironment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !repositoryVariables.has(name)));

/** A worktree of a repository, as git lists it. */
export interface ListedWorktree {
  readonly path: string;
  /** Absent without a branch, and for a bare repository. */
  readonly branch?: string;
  readonly isBare: boolean;
  /** Whether its directory is gone. */
  readonly isGone: boolean;
}

/** Returns the worktrees of a repository, the main one first. @throws VtrError as {@link Git.output} */
export async function listWorktrees(git: Git): Promise<readonly ListedWorktree[]> {
  const listed = await git.output('worktree', 'list', '--porcelain');
  return listed
    .split('\n\n')
    .map((block) => block.split('\n').filter((line) => line !== ''))
    .filter((lines) => lines.length > 0)
    .map((lines) => {
      const valueAfter = (key: string) =>
        lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1);
      const branch = valueAfter('branch')?.replace(/^refs\/heads\//, '');
      return {
        path: valueAfter('worktree') ?? '',
        ...defined({ branch }),
        isBare: lines.includes('bare'),
        isGone: lines.some((line) => /^prunable\b/.test(line)),
      };
    });
}

/** The path of the main worktree of a repository, in which git runs while the one at `path` is removed. */
export const mainWorktree = ([main]: readonly ListedWorktree[], path: string): string =>
  main?.path ?? path;
