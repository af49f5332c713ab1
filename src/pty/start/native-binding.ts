import { accessSync, chmodSync, constants, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { VtrError } from '#model';

/**
 * The native part of node-pty, which is all of it that we use: its streams lose output at exit,
 * block the loop on input and write to descriptors that have been closed.
 */
export interface NativeBinding {
  /**
   * Forks with the slave as the child's controlling terminal, closes all other descriptors in the
   * child, executes `file`. Throws without a code or errno when the system refuses.
   *
   * @param envPairs NAME=value
   * @param uid -1 to keep ours
   * @param utf8 sets IUTF8, so that the line discipline erases whole characters
   * @param helperPath macOS: executable that becomes the program
   * @param onExit called once, on the loop; `signal` is 0 for a program that exited by itself
   */
  fork(
    file: string,
    args: readonly string[],
    envPairs: readonly string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: (code: number, signal: number) => void,
  ): Forked;
  resize(fd: number, cols: number, rows: number, widthPx: number, heightPx: number): void;
}

export interface Forked {
  /** The master: non-blocking, inherited by children of this process (no FD_CLOEXEC). */
  readonly fd: number;
  readonly pid: number;
  /** Path of the slave. */
  readonly pty: string;
}

export interface LoadedBinding {
  readonly native: NativeBinding;
  readonly helperPath: string;
}

const prebuilt = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** @throws VtrError SPAWN_FAILED where there are no pseudo-terminals as we know them. */
export function bindingPackage(platform: string, arch: string): string {
  const target = `${platform}-${arch}`;
  if (prebuilt.includes(target)) return `@lydell/node-pty-${target}`;
  throw new VtrError(
    'SPAWN_FAILED',
    `vtr cannot start programs on ${target}: it needs pseudo-terminals of a Unix kind and runs on ` +
      `${prebuilt.join(', ')}${platform === 'win32' ? '; on Windows, run it inside WSL' : ''}`,
    { details: { platform, arch } },
  );
}

/**
 * Loads the addon for this platform. The platform's package exports its JavaScript only, so the
 * addon beside it is found by path.
 *
 * @throws VtrError SPAWN_FAILED
 */
export function loadBinding(): LoadedBinding {
  const name = bindingPackage(process.platform, process.arch);
  const load = createRequire(import.meta.url);
  try {
    const entry = createRequire(load.resolve('@lydell/node-pty')).resolve(name);
    const folder = `${process.platform}-${process.arch}`;
    const directory = join(dirname(entry), '..', 'prebuilds', folder);
    const native = load(join(directory, 'pty.node')) as NativeBinding;
    return { native, helperPath: spawnHelper(directory) };
  } catch (error) {
    if (error instanceof VtrError) throw error;
    throw new VtrError(
      'SPAWN_FAILED',
      `the PTY binding ${name} could not be loaded: ${(error as Error).message}. ` +
        'Install with optional dependencies; on Linux it needs glibc (musl is not supported)',
      { cause: error },
    );
  }
}

function spawnHelper(directory: string): string {
  const helperPath = join(directory, 'spawn-helper');
  if (process.platform === 'darwin') makeExecutable(helperPath);
  return helperPath;
}

/**
 * Package managers have been seen to unpack spawn-helper without its x bits.
 *
 * @throws VtrError SPAWN_FAILED
 */
export function makeExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    try {
      chmodSync(path, statSync(path).mode | 0o111);
    } catch (error) {
      throw new VtrError(
        'SPAWN_FAILED',
        `${path} must be executable and could not be made so; run: chmod +x '${path}'`,
        { cause: error },
      );
    }
  }
}
