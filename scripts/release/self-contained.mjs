import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { filesToInstall, nativePackages, nodeBinary, tarOf } from '#app/cli';
import { isVtrError } from '#model';
import { lockedPackages } from '../mcpb/pty-packages.mjs';
import { unpack } from '../mcpb/stage.mjs';
import { StepFailed } from '../steps/step-failed.mjs';

/** The systems for which there are archives: Linux with glibc 2.28 or newer, and macOS. */
export const systems = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/**
 * Returns an archive that one unpacks and runs, with Node.js in it:
 *
 * - `bin/vtr`, `bin/termcp`: the commands
 * - `lib/vtr`: the package
 * - `libexec/node`: Node.js, which only these commands use
 *
 * @param {string} root
 * @param {string} system
 * @param {{ top: string, timeS: number }} options the directory in the archive; the time of its files
 * @returns {Promise<{ bytes: Uint8Array, node: object }>} the archive; Node.js as a component of CycloneDX
 * @throws StepFailed
 */
export async function archiveFor(root, system, { top, timeS }) {
  const [platform = '', arch = ''] = system.split('-');
  const node = await nodeBinary(
    { platform, arch },
    join(root, 'build/release/node'),
    process.env,
  ).catch((error) => {
    throw isVtrError(error) ? new StepFailed(error.message) : error;
  });
  const own = await packageFiles(root, { platform, arch });
  const command = (/** @type {string} */ path) => ({
    path,
    bytes: readFileSync(join(root, 'scripts/release/start.sh')),
    isExecutable: true,
  });
  const files = [
    command('bin/termcp'),
    command('bin/vtr'),
    ...own.map((file) => ({ ...file, path: `lib/vtr/${file.path}` })),
    { path: 'libexec/LICENSE.node', bytes: node.licence, isExecutable: false },
    { path: 'libexec/node', bytes: node.bytes, isExecutable: true },
    { path: 'LICENSE', bytes: readFileSync(join(root, 'LICENSE')), isExecutable: false },
  ];
  const placed = files.map((file) => ({ ...file, path: `${top}/${file.path}` }));
  const bytes = await promisify(gzip)(tarOf(placed, timeS));
  return { bytes, node: componentOf(node, system) };
}

/**
 * The files of the package and of its native packages for a system.
 *
 * @param {string} root
 * @param {{ platform: string, arch: string }} machine
 */
async function packageFiles(root, machine) {
  const tarballs = await lockedPackages(root, nativePackages(machine));
  const directory = mkdtempSync(join(tmpdir(), 'vtr-release-'));
  try {
    const packages = new Map();
    for (const [name, tarball] of tarballs) {
      packages.set(name, join(directory, name));
      await unpack(tarball, join(directory, name));
    }
    return filesToInstall(root, packages);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @param {{ version: string, bytes: Uint8Array }} node @param {string} system */
const componentOf = ({ version, bytes }, system) => ({
  type: 'platform',
  'bom-ref': `node@${version}-${system}`,
  name: 'node',
  version,
  purl: `pkg:generic/node@${version}?arch=${system}`,
  scope: 'optional',
  licenses: [{ license: { id: 'MIT' } }],
  hashes: [{ alg: 'SHA-512', content: createHash('sha512').update(bytes).digest('hex') }],
  properties: [{ name: 'vtr:archive', value: system }],
});
