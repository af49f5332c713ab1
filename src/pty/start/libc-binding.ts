import { closeSync, constants, openSync } from 'node:fs';
import { constants as systemConstants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import { linuxAbi as abi, type Libc, type LoadedLibc } from '#libc';
import { type ExitStatus, type Size, VtrError } from '#model';
import type { TerminalModes } from '../port.ts';
import { sessionMark } from '../processes/process-table.ts';
import {
  type ProgramStart,
  type PtyBinding,
  type StartedProgram,
  toExitStatus,
} from './pty-binding.ts';
import { forkRefused } from './system-limits.ts';

const { O_RDWR, O_NOCTTY, O_NONBLOCK } = constants;
const { EAGAIN, EMFILE, ENFILE, ENOEXEC, ENOMEM } = systemConstants.errno;

/** The first fd that a program must not inherit, and the last one: UINT_MAX. */
const firstClosed = 3;
const lastFd = 0xffff_ffff;

/** Longer than any path of a slave. */
const terminalPathBytes = 128;

/** What execvp(3) does with a file that the kernel cannot execute. */
const shell = '/bin/sh';

/** Errors of a start that are due to a limit of the system. */
const limits: readonly number[] = [EAGAIN, EMFILE, ENFILE, ENOMEM];

/** The four possible modes, so that equal modes are identical. */
const modesOf = [false, true].map((echo) =>
  [false, true].map((canonical): TerminalModes => ({ echo, canonical })),
);

/**
 * Starts programs by posix_spawn(3) of the C library, which does not copy the page tables of this
 * process: the time does not depend on its memory, and there is no thread for each program.
 */
export class LibcBinding implements PtyBinding {
  readonly tasksNeeded = 0;
  readonly canMark: boolean;
  readonly name = 'the C library';
  readonly #libc: Libc;
  readonly #errno: () => number;
  readonly #exits: ChildExits;
  readonly #attributes: Buffer;
  readonly #actions = Buffer.alloc(abi.spawnTypeBytes);
  readonly #termios = Buffer.alloc(abi.termios.bytes);

  private constructor({ libc, errno }: LoadedLibc) {
    this.#libc = libc;
    this.#errno = errno;
    this.#exits = new ChildExits(libc);
    this.#attributes = spawnAttributes(libc);
    this.canMark = this.#withLockLimit(sessionMark(''), () => true) ?? false;
  }

  /** @returns null if the system cannot keep fds from programs: before Linux 5.11 */
  static on(loaded: LoadedLibc): LibcBinding | null {
    return hideFds(loaded.libc) ? new LibcBinding(loaded) : null;
  }

  start(program: ProgramStart, onExit: (status: ExitStatus) => void): StartedProgram {
    const terminal = this.#openTerminal(program.size);
    try {
      const pid = this.#exits.start(() => this.#spawnMarked(program, terminal.terminal), onExit);
      return { ...terminal, pid };
    } catch (error) {
      closeSync(terminal.slave);
      closeSync(terminal.master);
      throw error;
    }
  }

  resize(master: number, { cols, rows }: Size): void {
    const { bytes, ws_row, ws_col } = abi.winsize;
    const winsize = Buffer.alloc(bytes);
    winsize.writeUInt16LE(rows, ws_row);
    winsize.writeUInt16LE(cols, ws_col);
    this.#check('ioctl', this.#libc.ioctl(master, abi.TIOCSWINSZ, winsize));
  }

  modes(master: number): TerminalModes | null {
    if (this.#libc.tcgetattr(master, this.#termios) !== 0) return null;
    const flags = this.#termios.readUInt32LE(abi.termios.c_lflag);
    const isOn = (flag: number) => ((flags & flag) === 0 ? 0 : 1);
    return modesOf[isOn(abi.ECHO)]?.[isOn(abi.ICANON)] ?? null;
  }

  /** Less than there are if the program is to read whole lines. */
  unread(slave: number): number | null {
    const count = new Int32Array(1);
    return this.#libc.ioctl(slave, abi.FIONREAD, count) === 0 ? (count[0] ?? 0) : null;
  }

  /** Programs do not inherit them. */
  masterClosed(): void {}

  #openTerminal(size: Size): { master: number; slave: number; terminal: string } {
    const opened: number[] = [];
    const open = (path: string) => {
      opened.push(openSync(path, O_RDWR | O_NOCTTY | O_NONBLOCK));
      return opened.at(-1) as number;
    };
    try {
      const master = open('/dev/ptmx');
      this.#check('unlockpt', this.#libc.unlockpt(master));
      this.#setModes(master);
      this.resize(master, size);
      const terminal = this.#slavePath(master);
      // Before the start, so that the terminal is not without a slave when the program ends at once.
      return { master, slave: open(terminal), terminal };
    } catch (error) {
      for (const each of opened) closeSync(each);
      throw forkRefused(error);
    }
  }

  #slavePath(master: number): string {
    const name = Buffer.alloc(terminalPathBytes);
    this.#check('ptsname_r', this.#libc.ptsname_r(master, name, name.length));
    return name.toString('utf8', 0, name.indexOf(0));
  }

  /** Those that node-pty sets besides the kernel's own. A master has the modes of its slave. */
  #setModes(master: number): void {
    const { c_iflag } = abi.termios;
    this.#check('tcgetattr', this.#libc.tcgetattr(master, this.#termios));
    const flags = this.#termios.readUInt32LE(c_iflag);
    const more = abi.BRKINT | abi.IXANY | abi.IMAXBEL | abi.IUTF8;
    this.#termios.writeUInt32LE(flags | more, c_iflag);
    this.#check('tcsetattr', this.#libc.tcsetattr(master, abi.TCSANOW, this.#termios));
  }

  #spawnMarked(program: ProgramStart, terminal: string): number {
    const spawn = () => this.#spawn(program, terminal);
    const { mark } = program;
    return (mark === null ? null : this.#withLockLimit(mark, spawn)) ?? spawn();
  }

  /**
   * Calls `run` while this process has another soft limit of file locks, which programs inherit.
   *
   * @returns null if the limit cannot be set: the hard one is lower, or a sandbox does not let us
   */
  #withLockLimit<T>(limit: bigint, run: () => T): T | null {
    const { bytes, rlim_cur } = abi.rlimit;
    const before = Buffer.alloc(bytes);
    if (this.#libc.getrlimit(abi.RLIMIT_LOCKS, before) !== 0) return null;
    const other = Buffer.from(before);
    other.writeBigUInt64LE(limit, rlim_cur);
    if (this.#libc.setrlimit(abi.RLIMIT_LOCKS, other) !== 0) return null;
    try {
      return run();
    } finally {
      this.#libc.setrlimit(abi.RLIMIT_LOCKS, before);
    }
  }

  #spawn(program: ProgramStart, terminal: string): number {
    const { file, args } = program;
    hideFds(this.#libc);
    const first = this.#posixSpawn(program, terminal);
    const inShell = { ...program, file: shell, args: [file, ...args] };
    const { errno, pid } = first.errno === ENOEXEC ? this.#posixSpawn(inShell, terminal) : first;
    if (errno === 0) return pid;
    const message = `could not start ${file}: ${describe(errno)}`;
    if (limits.includes(errno)) throw forkRefused(new Error(message));
    throw new VtrError('SPAWN_FAILED', message, { details: { program: file } });
  }

  #posixSpawn(
    { file, args, env, cwd }: ProgramStart,
    terminal: string,
  ): { readonly errno: number; readonly pid: number } {
    const libc = this.#libc;
    const actions = this.#actions;
    const pid = new Int32Array(1);
    const errno =
      libc.posix_spawn_file_actions_init(actions) ||
      libc.posix_spawn_file_actions_addchdir_np(actions, cwd) ||
      // The first terminal that the leader of a session opens becomes its controlling terminal.
      libc.posix_spawn_file_actions_addopen(actions, 0, terminal, O_RDWR, 0) ||
      libc.posix_spawn_file_actions_adddup2(actions, 0, 1) ||
      libc.posix_spawn_file_actions_adddup2(actions, 0, 2) ||
      libc.posix_spawn(pid, file, actions, this.#attributes, [file, ...args, null], [...env, null]);
    libc.posix_spawn_file_actions_destroy(actions);
    return { errno, pid: pid[0] ?? 0 };
  }

  #check(what: string, result: number): void {
    if (result === 0) return;
    throw new Error(`${what}: ${describe(this.#errno())}`);
  }
}

/** A session of its own, and every signal as it is by default. */
function spawnAttributes(libc: Libc): Buffer {
  const attributes = Buffer.alloc(abi.spawnTypeBytes);
  const none = Buffer.alloc(abi.sigsetBytes);
  // sigfillset(3) leaves out two signals, which programs of glibc would then ignore.
  const all = Buffer.alloc(abi.sigsetBytes, 0xff);
  const flags = abi.POSIX_SPAWN_SETSID | abi.POSIX_SPAWN_SETSIGMASK | abi.POSIX_SPAWN_SETSIGDEF;
  libc.posix_spawnattr_init(attributes);
  libc.posix_spawnattr_setflags(attributes, flags);
  libc.posix_spawnattr_setsigmask(attributes, none);
  libc.posix_spawnattr_setsigdefault(attributes, all);
  return attributes;
}

/**
 * Sets FD_CLOEXEC on all fds, also on those that this process inherited or that other native code
 * opened. `child_process` passes fds on all the same. Returns whether the system can.
 */
function hideFds(libc: Libc): boolean {
  return libc.syscall(abi.SYS_close_range, firstClosed, lastFd, abi.CLOSE_RANGE_CLOEXEC) === 0;
}

function describe(errno: number): string {
  const [name, message] = getSystemErrorMap().get(-errno) ?? [`errno ${errno}`, 'unknown error'];
  return `${message} (${name})`;
}

/** The exits that are reported before the event loop turns. */
const exitsPerTurn = 16;

/** The longest timer of Node.js, in ms. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Reaps the children that it has started, and no others: Node.js reaps those of `child_process`. Like
 * them, a running child keeps this process alive.
 */
class ChildExits {
  readonly #libc: Libc;
  readonly #info = Buffer.alloc(abi.siginfo.bytes);
  readonly #running = new Map<number, (status: ExitStatus) => void>();
  readonly #onSignal = (): void => this.#collect();
  #keptAlive: NodeJS.Timeout | null = null;

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  /**
   * @param spawn starts a child and returns its pid; may throw
   * @param onExit called once, from a later turn of the event loop
   */
  start(spawn: () => number, onExit: (status: ExitStatus) => void): number {
    this.#listen();
    try {
      const pid = spawn();
      this.#running.set(pid, onExit);
      return pid;
    } finally {
      this.#restIfIdle();
    }
  }

  #listen(): void {
    if (this.#keptAlive !== null) return;
    process.on('SIGCHLD', this.#onSignal);
    this.#keptAlive = setInterval(() => {}, maxTimerMs);
  }

  #restIfIdle(): void {
    if (this.#keptAlive === null || this.#running.size > 0) return;
    process.off('SIGCHLD', this.#onSignal);
    clearInterval(this.#keptAlive);
    this.#keptAlive = null;
  }

  /** A signal stands for any number of exits. */
  #collect(): void {
    for (let count = 0; count < exitsPerTurn; count++) {
      const pid = this.#exited(abi.P_ALL, 0, abi.WNOWAIT);
      if (pid === 0) return;
      // A child of `child_process` may hide ours until Node.js has reaped it.
      const isHidden = !this.#running.has(pid);
      for (const each of isHidden ? [...this.#running.keys()] : [pid]) this.#collectOne(each);
      if (isHidden) return;
    }
    setImmediate(this.#onSignal);
  }

  #collectOne(pid: number): void {
    if (this.#exited(abi.P_PID, pid, 0) === 0) return;
    const onExit = this.#running.get(pid);
    this.#running.delete(pid);
    this.#restIfIdle();
    const { si_code, si_status } = abi.siginfo;
    const status = this.#info.readInt32LE(si_status);
    const isNormal = this.#info.readInt32LE(si_code) === abi.CLD_EXITED;
    onExit?.(isNormal ? toExitStatus(status, 0) : toExitStatus(0, status));
  }

  /** Returns a child that has exited, 0 if there is none. */
  #exited(idType: number, id: number, option: number): number {
    this.#info.writeInt32LE(0, abi.siginfo.si_pid);
    const options = abi.WEXITED | abi.WNOHANG | option;
    const result = this.#libc.waitid(idType, id, this.#info, options);
    return result === 0 ? this.#info.readInt32LE(abi.siginfo.si_pid) : 0;
  }
}
