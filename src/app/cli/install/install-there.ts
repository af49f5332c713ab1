import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ioErrors, VtrError } from '#model';
import { temporaryDirectory } from '#trust';
import type { Context } from '../context.ts';
import { fetchPackages } from './fetch-packages.ts';
import { type FoundCommand, type MachineThere, readFound, readMachine } from './machine-there.ts';
import { filesToInstall, findPackages, nativePackages, packageRoot } from './package-files.ts';
import { doesNotRun, installScript, probeScript } from './scripts.ts';
import { tarOf } from './tar.ts';

/** Looks at the other side. @throws VtrError UNAVAILABLE, PROGRAM_NOT_FOUND, IO_ERROR */
export async function probe({ env, program }: Context, address: string): Promise<MachineThere> {
  const { runThere, userPrograms } = await import('#transport');
  const floor = nodeFloor(packageRoot(program));
  const [major = '', minor = ''] = floor.split('.');
  const script = probeScript({ userPrograms, floor: [major, minor] });
  const { status, output, words } = await runThere(address, script, { env });
  if (status !== 0) throw refused(address, words);
  return readMachine(output, address, floor);
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
export function missingPackages({ program }: Context, { node }: MachineThere): readonly string[] {
  const names = nativePackages(node);
  const found = findPackages(packageRoot(program), names);
  return names.filter((name) => !found.has(name));
}

/** Packs what the other side needs. npm fetches what is missing here. @throws VtrError IO_ERROR */
export async function pack(context: Context, { node }: MachineThere): Promise<Packed> {
  const root = packageRoot(context.program);
  const names = nativePackages(node);
  const found = findPackages(root, names);
  if (found.size === names.length) return packed(root, found);
  const directory = mkdtempSync(join(temporaryDirectory(), 'vtr-install-'));
  try {
    return await packed(root, await fetchPackages(context, root, node, directory));
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
  { home, node }: MachineThere,
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
