import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../steps/run.mjs';
import { StepFailed } from '../steps/step-failed.mjs';

/** The platforms that the bundle supports. */
const targets = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];

/**
 * Returns the packed packages of the PTY binding for every platform of the bundle.
 *
 * @param {string} root
 * @returns {Promise<ReadonlyMap<string, string>>} tarballs by the names of packages
 * @throws StepFailed
 */
export const packedPtyPackages = (root) =>
  lockedPackages(root, [
    '@lydell/node-pty',
    ...targets.map((target) => `@lydell/node-pty-${target}`),
  ]);

/**
 * Returns packages of package-lock.json as packed, also those of other platforms, which npm does not install. npm fetches
 * each from its registry once. Their checksums have to match the lockfile.
 *
 * @param {string} root
 * @param {readonly string[]} names
 * @returns {Promise<ReadonlyMap<string, string>>} tarballs by the names of packages
 * @throws StepFailed
 */
export async function lockedPackages(root, names) {
  const directory = join(root, 'build/mcpb/packages');
  mkdirSync(directory, { recursive: true });
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const tarballs = new Map();
  for (const name of names) {
    /** @type {{ version: string, integrity: string }} */
    const { version, integrity } = packages[`node_modules/${name}`];
    const tarball = join(directory, `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`);
    if (!isIntact(tarball, integrity)) await fetchPackage(`${name}@${version}`, tarball);
    if (!isIntact(tarball, integrity)) {
      throw new StepFailed(`${name}@${version} from the registry does not match package-lock.json`);
    }
    tarballs.set(name, tarball);
  }
  return tarballs;
}

/**
 * @param {string} file
 * @param {string} integrity `sha512-` and its digest in base64, as in the lockfile
 */
function isIntact(file, integrity) {
  if (!existsSync(file)) return false;
  return `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}` === integrity;
}

/**
 * @param {string} spec
 * @param {string} tarball
 */
async function fetchPackage(spec, tarball) {
  const directory = `${tarball}.${process.pid}`;
  mkdirSync(directory, { recursive: true });
  try {
    const args = ['pack', spec, '--json', '--prefer-offline', '--pack-destination', directory];
    const { status, stdout, output } = await run('npm', args, { cwd: directory });
    if (status !== 0) throw new StepFailed(`npm could not fetch ${spec}, see above`, output);
    const [{ filename }] = JSON.parse(stdout);
    renameSync(join(directory, filename), tarball);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
