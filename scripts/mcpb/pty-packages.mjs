import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../steps/run.mjs';
import { StepFailed } from '../steps/step-failed.mjs';

/** Where there are pseudo-terminals as we know them. */
const targets = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];

/**
 * The packed packages of the PTY binding, for every machine on which the bundle may run: npm installs
 * only that of this one. They come from the registry by the npm that is set up here, and are kept; what
 * is taken is what the lockfile says.
 *
 * @param {string} root
 * @returns {Promise<ReadonlyMap<string, string>>} tarballs by the names of packages
 * @throws StepFailed
 */
export async function packedPtyPackages(root) {
  const kept = join(root, 'build/mcpb/packages');
  mkdirSync(kept, { recursive: true });
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const names = ['@lydell/node-pty', ...targets.map((target) => `@lydell/node-pty-${target}`)];
  const tarballs = new Map();
  for (const name of names) {
    /** @type {{ version: string, integrity: string }} */
    const { version, integrity } = packages[`node_modules/${name}`];
    const tarball = join(kept, `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`);
    if (!isIntact(tarball, integrity)) await fetchPackage(`${name}@${version}`, tarball);
    if (!isIntact(tarball, integrity)) {
      throw new StepFailed(
        `${name}@${version} from the registry is not what package-lock.json says`,
      );
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
  const folder = `${tarball}.${process.pid}`;
  mkdirSync(folder, { recursive: true });
  try {
    const args = ['pack', spec, '--json', '--prefer-offline', '--pack-destination', folder];
    const { status, stdout, output } = await run('npm', args, { cwd: folder });
    if (status !== 0) throw new StepFailed(`npm could not fetch ${spec}, see above`, output);
    const [{ filename }] = JSON.parse(stdout);
    renameSync(join(folder, filename), tarball);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
