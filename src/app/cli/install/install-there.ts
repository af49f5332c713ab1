import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { shellQuoted } from '#base';
import { cacheDirectory } from '#config';
import { ioErrors, VtrError } from '#model';
import { temporaryDirectory } from '#trust';
import type { Context } from '../context.ts';
import { hasNode, type NodePackage, nodeArchive, nodePackageFor } from './node-binary.ts';
import {
  type FoundCommand,
  filesToInstall,
  findPackages,
  type Machine,
  type MachineThere,
  type NodeThere,
  nativePackages,
  packageRoot,
  readFound,
  readMachine,
  tarOf,
} from './package-files.ts';

/** Looks at the other side. @throws VtrError UNAVAILABLE, IO_ERROR */
export async function probe({ env, program }: Context, address: string): Promise<MachineThere> {
  const { runThere, userPrograms } = await import('#transport');
  const floor = nodeFloor(packageRoot(program));
  const [major = '', minor = ''] = floor.split('.');
  const script = probeScript({ userPrograms, floor: [major, minor] });
  const { status, output, words } = await runThere(address, script, { env });
  if (status !== 0) throw refused(address, words);
  return readMachine(output);
}

/** Which Node.js vtr uses: that of the machine, or one that `vtr install` brings. */
type NodeChoice = 'system' | 'bundled';

/** The Node.js that vtr is going to use there. */
interface ChosenNode extends NodeThere {
  /** The package to bring; null if it is there already. */
  readonly brings: NodePackage | null;
}

/**
 * Chooses a Node.js.
 *
 * @param choice undefined: that of the machine, if it is new enough
 * @throws VtrError PROGRAM_NOT_FOUND if there is none that is new enough and none can be brought, SPAWN_FAILED if vtr
 * does not support the machine
 */
export function chosenNode(
  { program }: Pick<Context, 'program'>,
  address: string,
  there: MachineThere,
  choice: NodeChoice | undefined,
): ChosenNode {
  const own = there.nodes.find(({ isBundled }) => !isBundled);
  if (choice !== 'bundled' && own !== undefined) return { ...own, brings: null };
  if (choice === 'system') throw noNode(address, there, nodeFloor(packageRoot(program)));
  const brings = packageToBring(address, there);
  const { version, platform, arch } = brings;
  const bundled = there.nodes.find((each) => each.isBundled && each.version === version);
  if (bundled !== undefined) return { ...bundled, brings: null };
  const path = `${there.home}/.local/share/vtr/node-${version}/bin/node`;
  return { platform, arch, version, path, isInPath: false, isBundled: true, brings };
}

/** @throws VtrError PROGRAM_NOT_FOUND, SPAWN_FAILED */
function packageToBring(address: string, { system }: MachineThere): NodePackage & Machine {
  const { platform, arch, isMusl, name } = system;
  if (isMusl) {
    const message = `${address} has no Node.js that is new enough, and vtr cannot bring one: there is no official one for musl, the C library there; install it there, in Alpine Linux with apk add nodejs`;
    throw new VtrError('PROGRAM_NOT_FOUND', message, { details: { program: 'node' } });
  }
  const nodePackage = nodePackageFor(system);
  if (nodePackage === null || platform === undefined || arch === undefined) {
    const message = `${address} has no Node.js that is new enough, and vtr cannot bring one for ${name}`;
    throw new VtrError('SPAWN_FAILED', message, { details: { system: name } });
  }
  return { ...nodePackage, platform, arch };
}

function noNode(address: string, { oldNodes }: MachineThere, floor: string): VtrError {
  const message =
    oldNodes.length === 0
      ? `${address} has no Node.js: vtr needs ${floor} or newer there, in PATH or in the PATH of a login shell; --node bundled brings one`
      : `the Node.js at ${address} is too old: vtr needs ${floor} or newer, and found ${oldNodes.join(', ')}; --node bundled brings one`;
  return new VtrError('PROGRAM_NOT_FOUND', message, { details: { program: 'node' } });
}

/** Where fetched packages with Node.js are kept. */
const nodeCache = (user: Pick<Context, 'env'>): string => join(cacheDirectory(user), 'node');

/** Whether npm has to fetch a package first. */
export const mustFetch = (context: Context, nodePackage: NodePackage): boolean =>
  !hasNode(nodeCache(context), nodePackage);

/**
 * Copies Node.js to the other side, and tries it there.
 *
 * @throws VtrError UNAVAILABLE; SPAWN_FAILED if it does not run there, IO_ERROR; nothing has changed then
 */
export async function bringNode(
  context: Context,
  address: string,
  nodePackage: NodePackage,
): Promise<void> {
  const { env } = context;
  const { name, version } = nodePackage;
  if (mustFetch(context, nodePackage)) context.say(`npm fetches ${name}@${version}`);
  const file = await nodeArchive(nodePackage, nodeCache(context), env);
  const input = ioErrors(file, 'read', () => readFileSync(file));
  const { runThere } = await import('#transport');
  const { status, words } = await runThere(address, nodeScript(version), { env, input });
  if (status === 0) return;
  if (status !== doesNotRun) throw refused(address, words);
  const message = `Node.js ${version} does not run at ${address}: ${words || noWords}`;
  throw new VtrError('SPAWN_FAILED', message);
}

/** The oldest Node.js with which the package works. */
function nodeFloor(root: string): string {
  const file = join(root, 'package.json');
  const { engines } = ioErrors(file, 'read', () => JSON.parse(readFileSync(file, 'utf8')));
  return String(engines.node).replace(/^>=/, '');
}

/** What `vtr install` copies. */
export interface Packed {
  readonly files: number;
  /** Unpacked. */
  readonly bytes: number;
  readonly archive: Uint8Array;
}

/**
 * The packages that this machine does not have, because npm installs only those of its own platform.
 *
 * @throws VtrError SPAWN_FAILED if vtr does not support the other side
 */
export function missingPackages({ program }: Context, machine: Machine): readonly string[] {
  const names = nativePackages(machine);
  const packages = findPackages(packageRoot(program), names);
  return names.filter((name) => !packages.has(name));
}

/** Packs what the other side needs. npm fetches what is missing here. @throws VtrError IO_ERROR */
export async function pack(context: Context, machine: Machine): Promise<Packed> {
  const root = packageRoot(context.program);
  const names = nativePackages(machine);
  const packages = findPackages(root, names);
  if (packages.size === names.length) return packed(root, packages);
  const directory = mkdtempSync(join(temporaryDirectory(), 'vtr-install-'));
  try {
    return await packed(root, await fetchPackages(context, root, machine, directory));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function packed(root: string, packages: ReadonlyMap<string, string>): Promise<Packed> {
  const files = filesToInstall(root, packages);
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  return { files: files.length, bytes, archive: await promisify(gzip)(tarOf(files)) };
}

/**
 * Unpacks the archive there, tries it, and puts it in place.
 *
 * @returns the command that `vtr connect` runs there now
 * @throws VtrError UNAVAILABLE; SPAWN_FAILED if vtr does not run there, IO_ERROR; nothing has changed then
 */
export async function installThere(
  { env, version }: Context,
  address: string,
  home: string,
  node: NodeThere,
  { archive }: Packed,
): Promise<FoundCommand | null> {
  const { runThere, userPrograms } = await import('#transport');
  const path = node.isInPath ? null : node.path;
  const script = installScript({ userPrograms, version, home, node: path });
  const { status, output, words } = await runThere(address, script, { env, input: archive });
  if (status === 0) return readFound(output);
  if (status !== doesNotRun) throw refused(address, words);
  throw new VtrError('SPAWN_FAILED', `vtr does not run at ${address}: ${words || noWords}`);
}

const noWords = 'what failed there printed no message';

/** Two messages say enough: tar has one for each file. */
const refused = (address: string, words: string): VtrError => {
  const why = words.split('; ').slice(0, 2).join('; ') || noWords;
  return new VtrError('IO_ERROR', `vtr cannot be installed at ${address}: ${why}`);
};

/**
 * Fetches the packages with native code for another kind of machine with npm, in the versions of the package
 * whose command runs.
 *
 * @param root of that package
 * @param into an empty directory
 * @returns their directories by name
 * @throws VtrError IO_ERROR
 */
async function fetchPackages(
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
  // The others are parts of these for one platform.
  const specs = names.filter((name) => name in versions).map((name) => `${name}@${versions[name]}`);
  // Without it, npm would install into a package above the directory.
  writeFileSync(join(into, 'package.json'), '{ "private": true }\n');
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  const target = [`--os=${machine.platform}`, `--cpu=${machine.arch}`, '--include=optional'];
  const args = ['install', '--ignore-scripts', ...quiet, ...target, ...specs];
  const said = await promisify(execFile)('npm', args, { cwd: into, env }).then(
    ({ stderr }) => stderr,
    ({ code, stderr }) => (code === 'ENOENT' ? 'npm is not installed' : String(stderr)),
  );
  const packages = findPackages(into, names);
  const missing = names.filter((name) => !packages.has(name));
  if (missing.length === 0) return packages;
  const why = said.trim().split('\n')[0] || 'npm did not install them';
  const message = `npm cannot fetch ${missing.join(' and ')}, which vtr needs there: ${why}`;
  throw new VtrError('IO_ERROR', message, { details: { missing } });
}

/** The second line of a command that `vtr install` wrote. */
const mark = '# Written by vtr install.';

/** Prints facts about a Node.js; succeeds if it is new enough. The syntax is one that old versions know. */
const nodeFacts = `var p = process, v = p.versions.node.split("."), a = p.argv;
var ok = +v[0] > +a[1] || (+v[0] === +a[1] && +v[1] >= +a[2]);
console.log(JSON.stringify({ version: p.versions.node, path: p.execPath, platform: p.platform, arch: p.arch, isEnough: ok }));
p.exit(ok ? 0 : 1);`;

/** Loads what starts programs, and prints its name. */
const loadBinding = `try { console.log("binding " + require(process.argv[1]).bindingInUse().name); }
catch (error) { console.error(error.message); process.exit(1); }`;

/** Where version managers keep Node.js, below the home directory. A login that runs no profile misses it. */
const nodes = [
  ...['.nvm/versions/node/*/bin', '.volta/bin', '.local/share/mise/shims', '.asdf/shims', 'n/bin'],
  '.local/share/fnm/node-versions/*/installation/bin',
];

interface ProbeScript {
  /** Extends PATH as for `vtr connect`. */
  readonly userPrograms: string;
  /** Major and minor version of the oldest Node.js that will do. */
  readonly floor: readonly [string, string];
}

/**
 * A script of sh that prints a fact in each line: `home`, `node` (`path` if it is in PATH, `bundled` if `vtr install`
 * has brought it, else `other`, and JSON), `system` (its name, its processor, and its C library), `link` (`own` or `other`) if there is a command at the place of
 * ours, `vtr` and `version` of the command that `vtr connect` would run.
 */
const probeScript = ({ userPrograms, floor }: ProbeScript): string => `
: "\${HOME:?is not set}"
echo "home $HOME"
try() {
  [ -x "$2" ] || return 1
  facts=$("$2" -e ${shellQuoted(nodeFacts)} ${floor.join(' ')} 2>/dev/null)
  enough=$?
  [ -n "$facts" ] && echo "node $1 $facts"
  return $enough
}
look() {
  at=$(command -v node) && try path "$at" && return
  at=$("\${SHELL:-/bin/sh}" -lc 'command -v node' </dev/null 2>/dev/null | tail -n 1)
  try other "$at" && return
  for at in ${nodes.map((path) => `"$HOME"/${path}/node`).join(' ')}; do
    try other "$at" && return
  done
}
look
for at in "$HOME/.local/share/vtr"/node-*/bin/node; do try bundled "$at"; done
library=other
for at in /lib/ld-musl-*; do [ -e "$at" ] && library=musl; done
for at in /lib*/ld-linux* /lib/*/ld-linux*; do [ -e "$at" ] && library=glibc; done
echo "system $(uname -s) $(uname -m) $library"
link="$HOME/.local/bin/vtr"
if [ -L "$link" ] || [ -e "$link" ]; then
  of=other
  case $(readlink "$link" 2>/dev/null) in "$HOME/.local/share/vtr/"*) of=own ;; esac
  [ "$(sed -n 2p "$link" 2>/dev/null)" = ${shellQuoted(mark)} ] && of=own
  echo "link $of"
fi
${foundScript(userPrograms)}
exit 0`;

const foundScript = (userPrograms: string): string => `${userPrograms}
if at=$(command -v vtr); then
  echo "vtr $at"
  echo "version $("$at" --version </dev/null 2>/dev/null)"
fi`;

/**
 * A script of sh that unpacks the archive of a package with Node.js from stdin, tries it, and only then puts it in
 * place. The rest of the package is headers.
 */
const nodeScript = (version: string): string => `
umask 022
share="$HOME/.local/share/vtr"
to="$share/node-"${shellQuoted(version)} new="$share/.node-$$"
trap 'rm -rf "$new"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$share" && mkdir "$new" || exit 1
tar -xzf - -C "$new" package/bin/node package/LICENSE || exit 1
"$new/package/bin/node" --version >/dev/null || exit ${doesNotRun}
rm -rf "$to" && mv "$new/package" "$to" || exit 1
exit 0`;

interface InstallScript {
  readonly userPrograms: string;
  readonly version: string;
  readonly home: string;
  /** The path of Node.js; null if it is in PATH. */
  readonly node: string | null;
}

/** The status of {@link installScript} if vtr does not run there. */
const doesNotRun = 3;

/**
 * A script of sh that unpacks an archive from stdin, tries what is in it, and only then puts it in place. It
 * prints facts as {@link probeScript} does, and `binding`.
 */
function installScript({ userPrograms, version, home, node }: InstallScript): string {
  const program = `${home}/.local/share/vtr/${version}/dist/vtr.cjs`;
  // A link, unless a login that runs no profile would not find the Node.js that the command names.
  const makeCommand =
    node === null
      ? `ln -s ${shellQuoted(program)} "$command"`
      : `printf '%s\\n' '#!/bin/sh' ${shellQuoted(mark)} ${shellQuoted(
          `exec ${shellQuoted(node)} ${shellQuoted(program)} "$@"`,
        )} > "$command" && chmod 755 "$command"`;
  return `
umask 022
share="$HOME/.local/share/vtr" bin="$HOME/.local/bin"
to="$share/"${shellQuoted(version)} new="$share/.new-$$" old="$share/.old-$$" command="$bin/.vtr-$$"
trap 'rm -rf "$new" "$old" "$command"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$share" "$bin" && mkdir "$new" || exit 1
tar -xzf - -C "$new" || exit 1
node=${shellQuoted(node ?? 'node')}
"$node" "$new/dist/vtr.cjs" --version >/dev/null || exit ${doesNotRun}
"$node" -e ${shellQuoted(loadBinding)} "$new/dist/vtr-daemon.cjs" || exit ${doesNotRun}
${makeCommand} || exit 1
if [ -e "$to" ]; then mv "$to" "$old" || exit 1; fi
mv "$new" "$to" || { mv "$old" "$to"; exit 1; }
mv -f "$command" "$bin/vtr" || exit 1
${foundScript(userPrograms)}
exit 0`;
}
