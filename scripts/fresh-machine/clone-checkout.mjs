import { cpSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { run } from '../steps/run.mjs';
import { StepFailed } from '../steps/step-failed.mjs';

/** Directories that a clone does not have. */
const notCloned = ['.git', 'node_modules', 'dist', 'build'];

/** @param {string} message */
const say = (message) => process.stdout.write(`fresh machine: ${message}\n`);

/**
 * @param {string} cwd
 * @param {readonly string[]} args
 */
const git = (cwd, ...args) =>
  run('git', args, { cwd }).catch(() => ({ status: 1, stdout: '', output: 'git does not start' }));

/**
 * Clones a checkout at a commit. A directory that git cannot clone, such as an unpacked archive, is
 * copied without its dependencies and outputs.
 *
 * @param {string} root
 * @param {string} directory is created
 * @param {string} ref a commit, branch or tag
 * @throws StepFailed when there is no such commit
 */
export async function cloneCheckout(root, directory, ref) {
  const result = await git(root, 'rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`);
  if (result.status !== 0 && ref !== 'HEAD') {
    throw new StepFailed(`there is no commit ${ref}`, result.output);
  }
  const commit = result.stdout.trim();
  const cloned =
    result.status === 0 &&
    (await git(root, 'clone', '--quiet', '--no-checkout', '--', root, directory)).status === 0 &&
    (await git(directory, 'checkout', '--quiet', '--detach', commit)).status === 0;
  if (!cloned) return copyCheckout(root, directory);
  say(`cloned commit ${commit.slice(0, 12)}`);
  const { stdout: changes } = await git(root, 'status', '--porcelain');
  if (changes !== '') say('uncommitted changes are not included');
}

/**
 * @param {string} root
 * @param {string} directory
 */
function copyCheckout(root, directory) {
  say('git cannot clone this directory, so it is copied');
  cpSync(root, directory, {
    recursive: true,
    force: true,
    filter: (path) => !notCloned.includes(relative(root, path).split(sep)[0] ?? ''),
  });
}
