import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { shellQuoted } from '#base';
import { type ExitStatus, isVtrError, type Size, VtrError } from '#model';
import { isExecutable } from '#trust';
import {
  type ProgramStart,
  type PtyBinding,
  type StartedProgram,
  toExitStatus,
} from './pty-binding.ts';
import { forkRefused, maxOpenFds } from './system-limits.ts';

/**
 * The native part of node-pty. The rest of it is not used: its streams lose output at exit, block
 * the event loop on input and write to closed fds.
 */
interface NativeBinding {
  /**
   * Forks; in the child, makes the slave the controlling terminal, closes other fds and executes
   * `file`. Copies the page tables of this process, and makes a thread that waits for the child. May return before the child has called setsid(2). If the system refuses, throws an
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

interface Forked {
  /** The master: non-blocking, inherited by children of this process (no FD_CLOEXEC). */
  readonly fd: number;
  readonly pid: number;
  /** Path of the slave. */
  readonly pty: string;
}

interface LoadedBinding {
  readonly native: NativeBinding;
  readonly helperPath: string;
}

/** Starts programs by fork(2), with node-pty. */
export class NodePtyBinding implements PtyBinding {
  /** The program, and the thread that waits for it. */
  readonly tasksNeeded = 2;
  readonly canMark = false;
  readonly name = 'node-pty';
  readonly #loaded = loadNative();

  start(program: ProgramStart, onExit: (status: ExitStatus) => void): StartedProgram {
    const { native, helperPath } = this.#loaded;
    const { file, args, env, cwd, size } = program;
    try {
      masterFds.closeGaps();
      const forked = native.fork(
        file,
        args,
        env,
        cwd,
        size.cols,
        size.rows,
        -1,
        -1,
        true,
        helperPath,
        (code, signal) => onExit(toExitStatus(code, signal)),
      );
      masterFds.add(forked.fd);
      return { master: forked.fd, slave: null, pid: forked.pid, terminal: forked.pty };
    } catch (error) {
      throw forkRefused(error);
    }
  }

  resize(master: number, { cols, rows }: Size): void {
    this.#loaded.native.resize(master, cols, rows, 0, 0);
  }

  modes(): null {
    return null;
  }

  unread(): null {
    return null;
  }

  masterClosed(master: number): void {
    masterFds.delete(master);
  }
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
function loadNative(): LoadedBinding {
  const name = bindingPackage(process.platform, process.arch);
  const load = createRequire(import.meta.url);
  try {
    const entry = createRequire(load.resolve('@lydell/node-pty')).resolve(name);
    const target = `${process.platform}-${process.arch}`;
    const directory = join(dirname(entry), '..', 'prebuilds', target);
    const native = load(join(directory, 'pty.node')) as NativeBinding;
    return { native, helperPath: spawnHelper(directory) };
  } catch (error) {
    if (isVtrError(error)) throw error;
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
  if (!isExecutable(path)) {
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

/** Gaps are filled up to this fd at most, whatever RLIMIT_NOFILE is. */
const maxFillers = 8_192;

/**
 * Keeps programs from inheriting the masters of other sessions.
 *
 * Masters are opened without FD_CLOEXEC, and Node cannot set it. The binding's child sets it on its
 * copies before it executes the program, but on Linux it goes through the fds from 3 upwards and
 * stops at the first one above 15 that is not open. In the child, the fd of its own master is such
 * a gap. So at a fork no fd below the highest master may be free: the new master then gets a higher
 * fd than all others, and the child reaches all of them. Fds that became free are occupied by
 * fillers.
 *
 * The cost: while sessions overlap without a pause, fds rise by two per spawn, for the master and
 * the slave; fillers occupy them when both are closed. At half of RLIMIT_NOFILE, gaps are left open
 * instead, until the highest masters are closed.
 */
export class MasterFds {
  readonly #masters = new Set<number>();
  #fillers: number[] = [];

  add(master: number): void {
    this.#masters.add(master);
  }

  /** Must be called after `master` was closed. */
  delete(master: number): void {
    this.#masters.delete(master);
    this.#releaseAbove(this.#highest());
  }

  /**
   * Must be called right before a fork, without closing an fd in between. Fds that Node's threads
   * close in these microseconds are not covered.
   */
  closeGaps(): void {
    if (process.platform !== 'linux') return;
    const highest = this.#highest();
    if (highest > Math.min(maxFillers, (maxOpenFds() ?? 0) / 2)) this.#releaseAbove(-1);
    else this.#fillBelow(highest);
  }

  #highest(): number {
    return Math.max(-1, ...this.#masters);
  }

  #fillBelow(highest: number): void {
    let lowestFree = openFiller();
    while (lowestFree < highest) {
      this.#fillers.push(lowestFree);
      lowestFree = openFiller();
    }
    closeSync(lowestFree);
  }

  #releaseAbove(highest: number): void {
    if (this.#fillers.length === 0) return;
    for (const filler of this.#fillers) if (filler > highest) closeSync(filler);
    this.#fillers = this.#fillers.filter((filler) => filler < highest);
  }
}

function openFiller(): number {
  return openSync('/dev/null', 'r');
}

/** One per process, because fds are per process. */
const masterFds = new MasterFds();
