import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ioErrors, VtrError } from '#model';
import type { ArchivedFile } from './tar.ts';

/** What Node.js says about a machine: `process.platform` and `process.arch`. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
}

/** Those for which the packages below exist. */
const supported = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** What the command needs of its own package. The modules of dist, which programs import, need more packages. */
const ownPaths = ['package.json', 'LICENSE', 'contrib', 'dist', 'skills'];
const ownFile =
  /^(?!dist\/)|^dist\/(?:[^/]+\.cjs$|THIRD_PARTY_NOTICES$|sbom\.cdx\.json$|web\/|shell\/scripts\/|image\/fonts\/)/;

/** What runs of a package; koffi's has the sources of its native code, too. */
const runs = /\.(?:c?js|json|node)$|(?:^|\/)(?:LICENSE[^/]*|spawn-helper)$/;

/** The directory of the package whose command runs. */
export const packageRoot = (program: string): string => join(dirname(realpathSync(program)), '..');

/**
 * Returns the packages with native code that vtr needs on a machine: they start programs, and call the C
 * library on Linux. The rest of what vtr needs is in its own files.
 *
 * @throws VtrError SPAWN_FAILED if vtr does not support that machine
 */
export function nativePackages({ platform, arch }: Machine): readonly string[] {
  const target = `${platform}-${arch}`;
  if (!supported.includes(target)) {
    const message = `vtr cannot start programs on ${target}: supported are ${supported.join(', ')}`;
    throw new VtrError('SPAWN_FAILED', message, { details: { platform, arch } });
  }
  const names = ['@lydell/node-pty', `@lydell/node-pty-${target}`];
  return platform === 'linux' ? [...names, 'koffi', `@koromix/koffi-${target}`] : names;
}

/**
 * Finds packages as Node.js does: in `node_modules` next to a package, or next to a directory above it. A
 * package of a platform is found from the package that needs it, which links can lead to.
 *
 * @returns their directories by name; without those that are not installed
 */
export function findPackages(root: string, names: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name of names) {
    const directories = [root, ...found.values()].map((from) => findFrom(from, name));
    const directory = directories.find((each) => each !== null);
    if (directory != null) found.set(name, directory);
  }
  return found;
}

function findFrom(from: string, name: string): string | null {
  for (let at = from; ; at = dirname(at)) {
    const directory = join(at, 'node_modules', name);
    const stat = statSync(join(directory, 'package.json'), { throwIfNoEntry: false });
    if (stat !== undefined) return realpathSync(directory);
    if (at === dirname(at)) return null;
  }
}

/** Returns the files of the command and of packages. @throws VtrError IO_ERROR */
export function filesToInstall(
  root: string,
  packages: ReadonlyMap<string, string>,
): ArchivedFile[] {
  const own = ownPaths
    .flatMap((path) => filesBelow(root, path))
    .filter((path) => ownFile.test(path));
  return [
    ...own.map((path) => fileAt(join(root, path), path)),
    ...[...packages].flatMap(([name, directory]) =>
      filesBelow(directory, '')
        .filter((path) => runs.test(path))
        .map((path) => fileAt(join(directory, path), `node_modules/${name}/${path}`)),
    ),
  ];
}

/** The paths of files, relative to `root`: of one file or of all in a directory. @throws VtrError IO_ERROR */
function filesBelow(root: string, path: string): string[] {
  const full = join(root, path);
  return ioErrors(full, 'read', () => {
    if (!statSync(full).isDirectory()) return [path];
    return readdirSync(full, { recursive: true, encoding: 'utf8' })
      .map((each) => join(path, each))
      .filter((each) => statSync(join(root, each)).isFile())
      .sort();
  });
}

/** @throws VtrError IO_ERROR */
const fileAt = (full: string, path: string): ArchivedFile =>
  ioErrors(full, 'read', () => ({
    path,
    bytes: readFileSync(full),
    isExecutable: (statSync(full).mode & 0o111) !== 0,
  }));
