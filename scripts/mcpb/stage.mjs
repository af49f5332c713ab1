import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { run } from '../steps/run.mjs';
import { StepFailed } from '../steps/step-failed.mjs';

/** What is built and runs without packages, but for the PTY binding. */
const built = [
  'dist/vtr.cjs',
  'dist/vtr-client.mjs',
  'dist/vtr-daemon.mjs',
  'dist/vtr-mcp.mjs',
  'dist/shell/scripts',
];

/**
 * Lays out what the bundle holds.
 *
 * @param {string} root
 * @param {string} folder made anew
 * @param {ReadonlyMap<string, string>} packages tarballs by name, put into node_modules
 */
export async function stage(root, folder, packages) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const path of ['manifest.json', 'LICENSE', ...built]) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  cpSync(join(root, 'scripts/mcpb/start.sh'), join(folder, 'start.sh'));
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licenses(root));
  for (const [name, tarball] of packages) await unpack(tarball, join(folder, 'node_modules', name));
  makeExecutable(folder);
}

/**
 * @param {string} tarball
 * @param {string} folder
 */
async function unpack(tarball, folder) {
  mkdirSync(folder, { recursive: true });
  const args = ['-xzf', tarball, '-C', folder, '--strip-components=1'];
  const { status, output } = await run('tar', args, { cwd: folder });
  if (status !== 0) throw new StepFailed(`tar could not unpack ${tarball}, see above`, output);
}

/**
 * macOS starts programs by a helper of the PTY binding.
 *
 * @param {string} folder
 */
function makeExecutable(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const path of files.filter((each) => /(^|\/)(start\.sh|spawn-helper)$/.test(each))) {
    chmodSync(join(folder, path), 0o755);
  }
}

/**
 * The licences of the packages that are bundled into dist.
 *
 * @param {string} root
 */
function licenses(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== '' && !dev && !optional)
    .map(([path, { version, license }]) => {
      const title = `${path.replace(/^.*node_modules\//, '')} ${version} (${license})`;
      return `${title}\n\n${licenseIn(join(root, path))}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** @param {string} folder */
function licenseIn(folder) {
  const file = existsSync(folder) && readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  return file ? readFileSync(join(folder, file), 'utf8').trim() : 'See its package.';
}
