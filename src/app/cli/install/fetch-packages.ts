import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ioErrors, VtrError } from '#model';
import type { Context } from '../context.ts';
import { findPackages, type Machine, nativePackages } from './package-files.ts';

/** The packages that have parts for each platform. npm installs only those of this machine. */
const withPlatforms = ['@lydell/node-pty', 'koffi'];

/**
 * Fetches the packages with native code for another kind of machine with npm, in the versions of the package
 * whose command runs.
 *
 * @param root of that package
 * @param into an empty directory
 * @returns their directories by name
 * @throws VtrError IO_ERROR
 */
export async function fetchPackages(
  { env }: Context,
  root: string,
  machine: Machine,
  into: string,
): Promise<ReadonlyMap<string, string>> {
  const file = join(root, 'package.json');
  const { dependencies, optionalDependencies } = ioErrors(file, 'read', () =>
    JSON.parse(readFileSync(file, 'utf8')),
  );
  const names = nativePackages(machine);
  const versions: Record<string, string> = { ...dependencies, ...optionalDependencies };
  const specs = withPlatforms
    .filter((name) => names.includes(name))
    .map((name) => `${name}@${versions[name]}`);
  // Without it, npm would install into a package above the directory.
  writeFileSync(join(into, 'package.json'), '{ "private": true }\n');
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  const target = [`--os=${machine.platform}`, `--cpu=${machine.arch}`, '--include=optional'];
  const args = ['install', '--ignore-scripts', ...quiet, ...target, ...specs];
  const said = await promisify(execFile)('npm', args, { cwd: into, env }).then(
    ({ stderr }) => stderr,
    ({ code, stderr }) => (code === 'ENOENT' ? 'npm is not installed' : String(stderr)),
  );
  const found = findPackages(into, names);
  const missing = names.filter((name) => !found.has(name));
  if (missing.length === 0) return found;
  const why = said.trim().split('\n')[0] || 'npm did not install them';
  const message = `npm cannot fetch ${missing.join(' and ')}, which vtr needs there: ${why}`;
  throw new VtrError('IO_ERROR', message, { details: { missing } });
}
