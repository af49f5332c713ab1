import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';
import { StepFailed } from './step-failed.mjs';

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }} Locked
 */

/**
 * @param {string} file
 * @returns {Record<string, Locked>} by path, without the project itself
 */
function lockedPackages(file) {
  const { '': _project, ...packages } = JSON.parse(readFileSync(file, 'utf8')).packages;
  return packages;
}

/**
 * Whether the installed packages are those of the lockfile. npm keeps a lockfile of the installed
 * packages in node_modules. Times are not compared, because a checkout changes them.
 *
 * @param {string} root
 */
export function arePackagesCurrent(root) {
  const record = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const packages = lockedPackages(join(root, 'package-lock.json'));
  const installed = lockedPackages(record);
  const mayBeMissing = (/** @type {Locked} */ each) => each.optional || each.devOptional;
  return (
    Object.keys(installed).every((path) => path in packages) &&
    Object.entries(packages).every(([path, each]) => {
      const entry = installed[path];
      if (entry === undefined) return mayBeMissing(each);
      return entry.version === each.version && entry.integrity === each.integrity;
    })
  );
}

/** @param {string} root */
export async function installPackages(root) {
  if (arePackagesCurrent(root)) return;
  process.stderr.write('setup: installing packages (npm ci)\n');
  // NODE_ENV=production or an `omit` in the user's npmrc must not omit the build tools.
  const args = ['ci', '--include=dev', '--include=optional'];
  const { status, output } = await run('npm', args, { cwd: root }).catch((error) => {
    throw new StepFailed(`npm does not start (${error.message}); check that it is in PATH`);
  });
  if (status !== 0) throw new StepFailed('npm ci failed, see above', output);
}
