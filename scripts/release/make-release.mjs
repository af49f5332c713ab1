import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pack } from '../mcpb/pack.mjs';
import { packedPtyPackages } from '../mcpb/pty-packages.mjs';
import { run } from '../steps/run.mjs';
import { StepFailed } from '../steps/step-failed.mjs';
import { checkTree, checkVersion, commitTimeS, notesOf } from './checks.mjs';
import { systems as allSystems, archiveFor } from './self-contained.mjs';
import { withZipTime } from './zip-time.mjs';

/**
 * Makes the files of a release, and publishes nothing: the package, the bundle of the MCP server, an archive with
 * Node.js for each system, the bill of materials, the notes, and the checksums of all. Equal sources make equal files:
 * their times are that of the commit.
 *
 * @param {string} root
 * @param {object} options
 * @param {boolean} options.isTry notes may still be under `[Unreleased]`
 * @param {readonly string[] | undefined} [options.systems] those of the archives
 * @throws StepFailed if the work tree has changes, the version has no notes or exists, or a file cannot be made
 */
export async function makeRelease(root, { isTry, systems = allSystems }) {
  const unknown = systems.find((system) => !allSystems.includes(system));
  if (unknown !== undefined) {
    throw new StepFailed(`there is no archive for ${unknown}: known are ${allSystems.join(', ')}`);
  }
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  await checkTree(root);
  const notes = notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version, { isTry });
  await checkVersion(root, name, version);
  const timeS = await commitTimeS(root);

  const directory = join(root, 'build/release', version);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const base = join(directory, `${name}-${version}`);

  await packPackage(root, directory);
  const bundle = `${base}.mcpb`;
  await pack(root, await packedPtyPackages(root), bundle);
  writeFileSync(bundle, withZipTime(readFileSync(bundle), timeS));
  const nodes = [];
  for (const system of systems) {
    const { bytes, node } = await archiveFor(root, system, {
      top: `${name}-${version}-${system}`,
      timeS,
    });
    writeFileSync(`${base}-${system}.tar.gz`, bytes);
    nodes.push(node);
  }
  writeFileSync(`${base}.cdx.json`, billOfMaterials(root, nodes));
  writeFileSync(join(directory, 'NOTES.md'), notes);
  const files = readdirSync(directory).sort();
  writeFileSync(
    join(directory, 'SHA256SUMS'),
    files.map((file) => sumOf(directory, file)).join(''),
  );
  return { files: [...files, 'SHA256SUMS'], directory, version };
}

/** Makes the package as `npm publish` would. @param {string} root @param {string} into */
async function packPackage(root, into) {
  const args = ['pack', '--silent', '--pack-destination', into];
  const { status, output } = await run('npm', args, { cwd: root });
  if (status !== 0) throw new StepFailed('npm could not make the package, see above', output);
}

/**
 * The bill of materials of the package, and the programs of Node.js in the archives.
 *
 * @param {string} root
 * @param {readonly object[]} nodes
 */
function billOfMaterials(root, nodes) {
  const bill = JSON.parse(readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8'));
  return `${JSON.stringify({ ...bill, components: [...bill.components, ...nodes] }, null, 2)}\n`;
}

/** A line for `sha256sum -c`. @param {string} directory @param {string} file */
function sumOf(directory, file) {
  const digest = createHash('sha256')
    .update(readFileSync(join(directory, file)))
    .digest('hex');
  return `${digest}  ${file}\n`;
}
