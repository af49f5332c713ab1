import { accessSync, chmodSync, constants, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants as systemConstants } from 'node:os';
import { dirname, join } from 'node:path';
import { shellQuoted } from '#base';
import { type ExitStatus, VtrError } from '#model';

/**
 * The native part of node-pty. The rest of it is not used: its streams lose output at exit, block
 * the event loop on input and write to closed fds.
 */
export interface NativeBinding {
  /**
   * Forks; in the child, makes the slave the controlling terminal, closes other fds and executes
   * `file`. May return before the child has called setsid(2). If the system refuses, throws an
   * error without a code or errno.
   *
   * @param envPairs NAME=value
   * @param uid -1 for this process's
   * @param utf8 sets IUTF8, so that the line discipline erases whole characters
   * @param helperPath macOS: the executable that executes the program
   * @param onExit called once, on the event loop; `signal` is 0 after a normal exit
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

/** @throws VtrError SPAWN_FAILED if the platform is not supported. */
export function bindingPackage(platform: string, arch: string): string {
  const target = `${platform}-${arch}`;
  if (prebuilt.includes(target)) return `@lydell/node-pty-${target}`;
  throw new VtrError(
    'SPAWN_FAILED',
    `vtr cannot start programs on ${target}: supported are ` +
      `${prebuilt.join(', ')}${platform === 'win32' ? '; on Windows, run vtr inside WSL' : ''}`,
    { details: { platform, arch } },
  );
}

/**
 * Loads the addon for this platform. The platform's package exports only its JavaScript, so the
 * addon is found by its path next to it.
 *
 * @throws VtrError SPAWN_FAILED
 */
export function loadBinding(): LoadedBinding {
  const name = bindingPackage(process.platform, process.arch);
  const load = createRequire(import.meta.url);
  try {
    const entry = createRequire(load.resolve('@lydell/node-pty')).resolve(name);
    const target = `${process.platform}-${process.arch}`;
    const directory = join(dirname(entry), '..', 'prebuilds', target);
    const native = load(join(directory, 'pty.node')) as NativeBinding;
    return { native, helperPath: spawnHelper(directory) };
  } catch (error) {
    if (error instanceof VtrError) throw error;
    throw new VtrError(
      'SPAWN_FAILED',
      `could not load the PTY binding ${name}: ${(error as Error).message}; ` +
        'install with optional dependencies; on Linux it needs glibc (musl is not supported)',
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
 * Adds the x bits of spawn-helper, which some package managers lose.
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
        `could not make ${path} executable; run: chmod +x ${shellQuoted(path)}`,
        { cause: error },
      );
    }
  }
}

/** Linux: the first real-time signal that glibc leaves to programs, signal(7). */
const firstRealTime = 34;
const lastRealTime = 64;

const nameByNumber = new Map<number, string>();
for (const [name, number] of Object.entries(systemConstants.signals)) {
  // The first name wins: SIGABRT and SIGIO, before their aliases SIGIOT and SIGPOLL.
  if (!nameByNumber.has(number)) nameByNumber.set(number, name);
}

/** Converts the arguments of `onExit` of {@link NativeBinding.fork}. */
export function toExitStatus(code: number, signal: number): ExitStatus {
  return signal === 0 ? { code, signal: null } : { code: null, signal: signalName(signal) };
}

function signalName(signal: number): string {
  const name = nameByNumber.get(signal);
  if (name !== undefined) return name;
  const realTime = signal >= firstRealTime && signal <= lastRealTime;
  return realTime ? `SIGRTMIN+${signal - firstRealTime}` : `SIG${signal}`;
}
