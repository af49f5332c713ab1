import type { Git } from './git.ts';

/** So many commits of the other branches are compared, the newest ones. */
const maxCompared = 2_000;
/** Changes in more files are compared with whole commits. */
const maxPaths = 200;
/** The same in whatever way a user's git shows changes. */
const patch = ['--patch', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '-U3'];

/**
 * Counts the commits of HEAD that no branch of a remote has, nor `from`. A change that is there as another commit counts
 * as merged: one that was picked or rebased, and all of them as one (squash).
 *
 * @param from a branch or commit; null for none
 * @throws VtrError of git
 */
export async function unmergedCommits(git: Git, from: string | null): Promise<number> {
  const others = from === null ? ['--remotes'] : ['--remotes', from];
  const list = await git.output('rev-list', '--no-merges', 'HEAD', '--not', ...others, '--');
  const commits = list.split('\n').filter((line) => line !== '');
  const merges = await git.output(
    'rev-list',
    '--count',
    '--merges',
    'HEAD',
    '--not',
    ...others,
    '--',
  );
  const all = commits.length + Number(merges);
  if (all === 0) return 0;
  const base = await baseOf(git, from, commits);
  const whole = base === null ? null : await changeSince(git, base);
  // What git cannot compare is not merged.
  if (whole === null || whole.isBinary) return all;
  const paths = whole.paths.length <= maxPaths ? whole.paths : [];
  const newest = `--max-count=${maxCompared}`;
  const log = await git.output('log', newest, ...patch, ...others, '--not', 'HEAD', '--', ...paths);
  const otherIds = new Set(await patchIds(git, log));
  const [single] = await patchIds(git, whole.text);
  if (single !== undefined && otherIds.has(single)) return 0;
  const ids = await patchIds(
    git,
    await git.output('log', ...patch, 'HEAD', '--not', ...others, '--'),
  );
  const count = ids.filter((id) => otherIds.has(id)).length;
  return count === commits.length ? 0 : all - count;
}

/** Returns the commit from which HEAD went its own way; null if there is none. */
async function baseOf(
  git: Git,
  from: string | null,
  commits: readonly string[],
): Promise<string | null> {
  const oldest = commits.at(-1);
  const words =
    from === null ? ['rev-parse', '--verify', `${oldest}^`] : ['merge-base', 'HEAD', from];
  const { status, out } = await git.run(...words);
  return status === 0 ? out.trim() : null;
}

async function changeSince(git: Git, base: string) {
  const numbers = await git.output('diff', '--numstat', '--no-renames', '-z', base, 'HEAD', '--');
  const files = numbers.split('\0').filter((line) => line !== '');
  return {
    text: await git.output('diff', ...patch, base, 'HEAD', '--'),
    paths: files.map((line) => `:(top,literal)${line.replace(/^\S+\t\S+\t/, '')}`),
    isBinary: files.some((line) => line.startsWith('-')),
  };
}

/** Returns the ids of changes in what git has printed: equal changes have the same one, wherever they are. */
async function patchIds(git: Git, text: string): Promise<string[]> {
  const ids = await git.outputFor(text === '' ? '' : `${text}\n`, 'patch-id', '--stable');
  return ids
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/ .*/, ''));
}
