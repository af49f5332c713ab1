import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../steps/run.mjs';
import { StepFailed } from '../steps/step-failed.mjs';

/** Built files, which need no package but the PTY binding. */
const built = [
  'dist/vtr.cjs',
  'dist/vtr-client.cjs',
  'dist/vtr-command.cjs',
  'dist/vtr-daemon.cjs',
  'dist/vtr-mcp.cjs',
  'dist/vtr-ptyd.cjs',
  'dist/vtr-ptyhost.cjs',
  'dist/vtr-tmux.cjs',
  'dist/vtr-web.cjs',
  'dist/web',
  'dist/shell/scripts',
  'dist/agents/kinds',
  'dist/THIRD_PARTY_NOTICES',
];

/**
 * Writes the files of the bundle to a directory.
 *
 * @param {string} root
 * @param {string} directory is emptied first
 * @param {ReadonlyMap<string, string>} packages tarballs by name, put into node_modules
 */
export async function stage(root, directory, packages) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const path of ['manifest.json', 'LICENSE', ...built]) {
    cpSync(join(root, path), join(directory, path), { recursive: true });
  }
  cpSync(join(root, 'scripts/mcpb/start.sh'), join(directory, 'start.sh'));
  for (const [name, tarball] of packages)
    await unpack(tarball, join(directory, 'node_modules', name));
  makeExecutable(directory);
}

/**
 * Unpacks a package of npm.
 *
 * @param {string} tarball
 * @param {string} directory
 */
export async function unpack(tarball, directory) {
  mkdirSync(directory, { recursive: true });
  const args = ['-xzf', tarball, '-C', directory, '--strip-components=1'];
  const { status, output } = await run('tar', args, { cwd: directory });
  if (status !== 0) throw new StepFailed(`tar could not unpack ${tarball}, see above`, output);
}

/**
 * On macOS the PTY binding starts programs with a helper program.
 *
 * @param {string} directory
 */
function makeExecutable(directory) {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  for (const path of files.filter((each) => /(^|\/)(start\.sh|spawn-helper)$/.test(each))) {
    chmodSync(join(directory, path), 0o755);
  }
}
