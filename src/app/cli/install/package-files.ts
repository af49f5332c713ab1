import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defined } from '#base';
import { ioErrors, VtrError } from '#model';

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
  /^(?!dist\/)|^dist\/(?:[^/]+\.cjs$|THIRD_PARTY_NOTICES$|sbom\.cdx\.json$|web\/|shell\/scripts\/|image\/fonts\/|agents\/kinds\/)/;

/** What runs of a package. */
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
  return platform === 'linux' ? [...names, `@koromix/koffi-${target}`] : names;
}

/**
 * Finds packages as Node.js does: in `node_modules` next to a package, or next to a directory above it. A
 * package of a platform is found from the package that needs it, which links can lead to.
 *
 * @returns their directories by name; without those that are not installed
 */
export function findPackages(root: string, names: readonly string[]): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const name of names) {
    const directories = [root, ...paths.values()].map((from) => findFrom(from, name));
    const directory = directories.find((each) => each !== null);
    if (directory != null) paths.set(name, directory);
  }
  return paths;
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

/** A file of an archive. */
export interface ArchivedFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

const block = 512;
const nameBytes = 100;
const prefixBytes = 155;

/**
 * Returns an archive in the "ustar interchange format" (POSIX.1-2017, pax), which every tar reads. It does not use
 * the tar of this machine, because that of macOS adds files of its own.
 *
 * @param mtimeS the time of all files, in s since 1970
 * @throws RangeError for a path that the format cannot hold
 */
export function tarOf(
  files: readonly ArchivedFile[],
  mtimeS: number = Math.floor(Date.now() / 1000),
): Buffer {
  const parts = files.flatMap((file) => {
    const { length } = file.bytes;
    return [headerOf(file, mtimeS), file.bytes, Buffer.alloc((block - (length % block)) % block)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

function headerOf({ path, bytes, isExecutable }: ArchivedFile, mtimeS: number): Buffer {
  const { prefix, name } = splitPath(path);
  const header = Buffer.alloc(block);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0);
  header.write(octal(isExecutable ? 0o755 : 0o644, 7), 100);
  // Root's, which tar ignores unless root unpacks it.
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(bytes.length, 11), 124);
  header.write(octal(mtimeS, 11), 136);
  // The checksum is made with spaces in its place.
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(prefix, 345);
  const sum = header.reduce((total, each) => total + each, 0);
  header.write(`${octal(sum, 6)} `, 148);
  return header;
}

/** Splits a path at a `/` so that both parts have room. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } {
  const bytes = (text: string) => Buffer.byteLength(text);
  if (bytes(path) <= nameBytes) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (bytes(name) <= nameBytes && bytes(prefix) <= prefixBytes) return { prefix, name };
  }
  throw new RangeError(`the path is too long for an archive: ${path}`);
}

/** A Node.js of a machine. */
export interface NodeThere extends Machine {
  readonly version: string;
  readonly path: string;
  readonly isInPath: boolean;
  /** Whether `vtr install` has brought it. */
  readonly isBundled: boolean;
}

/** What a machine is without a Node.js that says it. */
interface SystemThere extends Partial<Machine> {
  /** Whether its C library is musl, as in Alpine Linux. */
  readonly isMusl: boolean;
  /** As uname(1) says, for messages. */
  readonly name: string;
}

/** What is known about the other side before vtr is installed there. */
export interface MachineThere {
  readonly home: string;
  readonly system: SystemThere;
  /** Those that are new enough, the one to prefer first. */
  readonly nodes: readonly NodeThere[];
  /** Those that are too old, for messages: version and path. */
  readonly oldNodes: readonly string[];
  /** Whether the file at the place of our command is one that we wrote; null if there is none. */
  readonly isOwnCommand: boolean | null;
  readonly command: FoundCommand | null;
}

/** The command that `vtr connect` would run there. */
export interface FoundCommand {
  readonly path: string;
  /** Null if it does not run. */
  readonly version: string | null;
}

/** Reads what the probe printed. */
export function readMachine(printed: string): MachineThere {
  const facts = factsIn(printed);
  const tried = facts('node').flatMap(readNode);
  const old = tried.filter(({ isEnough }) => !isEnough);
  return {
    home: facts('home').at(-1) ?? '',
    system: readSystem(facts('system').at(-1) ?? ''),
    nodes: tried.filter(({ isEnough }) => isEnough),
    oldNodes: old.map(({ version, path }) => `${version} (${path})`),
    isOwnCommand: facts('link').length === 0 ? null : facts('link').includes('own'),
    command: readFound(printed),
  };
}

const platforms: Readonly<Record<string, string>> = { Linux: 'linux', Darwin: 'darwin' };
const processors: Readonly<Record<string, string>> = {
  x86_64: 'x64',
  amd64: 'x64',
  aarch64: 'arm64',
  arm64: 'arm64',
};

/** @param fact what uname(1) prints with -s and -m, and the C library */
function readSystem(fact: string): SystemThere {
  const [system = '', processor = '', library] = fact.split(' ');
  const name = `${system} ${processor}`.trim() || 'an unknown system';
  return {
    ...defined({ platform: platforms[system], arch: processors[processor] }),
    isMusl: library === 'musl',
    name,
  };
}

export function readFound(printed: string): FoundCommand | null {
  const facts = factsIn(printed);
  const path = facts('vtr').at(-1);
  if (path === undefined) return null;
  const [, version = null] = /^vtr (\S+)$/.exec(facts('version').at(-1) ?? '') ?? [];
  return { path, version };
}

/** Returns the values of a fact, in their order. */
const factsIn =
  (printed: string) =>
  (name: string): string[] =>
    printed
      .split('\n')
      .filter((line) => line.startsWith(`${name} `))
      .map((line) => line.slice(name.length + 1));

/** Returns no element for a program that is not Node.js. */
function readNode(line: string): readonly (NodeThere & { readonly isEnough: boolean })[] {
  const [, where, json = ''] = /^(\w+) (\{.*\})$/.exec(line) ?? [];
  try {
    const { version, path, platform, arch, isEnough } = JSON.parse(json);
    const texts = { version, path, platform, arch };
    if (Object.values(texts).some((each) => typeof each !== 'string')) return [];
    const isInPath = where === 'path';
    return [{ ...texts, isInPath, isBundled: where === 'bundled', isEnough: isEnough === true }];
  } catch {
    return [];
  }
}
