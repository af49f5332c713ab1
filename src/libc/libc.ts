import { createRequire } from 'node:module';

/** Memory that a function reads or writes. */
type Memory = Uint8Array | Int32Array;
/** Ends with null. */
type Strings = readonly (string | null)[];

/** Functions of the C library, with the results that their manual pages describe. */
export interface Libc {
  unlockpt(master: number): number;
  ptsname_r(master: number, into: Memory, bytes: number): number;
  ioctl(fd: number, request: number, argument: Memory): number;
  tcgetattr(fd: number, into: Memory): number;
  tcsetattr(fd: number, when: number, termios: Memory): number;
  posix_spawn_file_actions_init(actions: Memory): number;
  posix_spawn_file_actions_addchdir_np(actions: Memory, directory: string): number;
  posix_spawn_file_actions_addopen(
    actions: Memory,
    fd: number,
    path: string,
    flags: number,
    mode: number,
  ): number;
  posix_spawn_file_actions_adddup2(actions: Memory, from: number, to: number): number;
  posix_spawn_file_actions_destroy(actions: Memory): number;
  posix_spawnattr_init(attributes: Memory): number;
  posix_spawnattr_setflags(attributes: Memory, flags: number): number;
  posix_spawnattr_setsigmask(attributes: Memory, signals: Memory): number;
  posix_spawnattr_setsigdefault(attributes: Memory, signals: Memory): number;
  posix_spawn(
    pid: Memory,
    file: string,
    actions: Memory,
    attributes: Memory,
    args: Strings,
    env: Strings,
  ): number;
  waitid(idType: number, id: number, info: Memory, options: number): number;
  getrlimit(resource: number, into: Memory): number;
  setrlimit(resource: number, limits: Memory): number;
  getsockopt(fd: number, level: number, name: number, into: Memory, bytes: Memory): number;
  socket(family: number, type: number, protocol: number): number;
  connect(fd: number, address: Memory, bytes: number): number;
  send(fd: number, bytes: Memory, count: number, flags: number): number;
  /** close_range(2), which older C libraries lack. */
  syscall(number: number, first: number, last: number, flags: number): number;
  /** openat2(2) by syscall(2): the C library has no function for it. */
  openat2(number: number, directory: number, path: string, how: Memory, bytes: number): number;
  statx(fd: number, path: string, flags: number, mask: number, into: Memory): number;
}

/** In the language of koffi. */
const prototypes: Readonly<Record<keyof Libc, string>> = {
  unlockpt: 'int unlockpt(int)',
  ptsname_r: 'int ptsname_r(int, void *, size_t)',
  ioctl: 'int ioctl(int, unsigned long, void *)',
  tcgetattr: 'int tcgetattr(int, void *)',
  tcsetattr: 'int tcsetattr(int, int, void *)',
  posix_spawn_file_actions_init: 'int posix_spawn_file_actions_init(void *)',
  posix_spawn_file_actions_addchdir_np:
    'int posix_spawn_file_actions_addchdir_np(void *, const char *)',
  posix_spawn_file_actions_addopen:
    'int posix_spawn_file_actions_addopen(void *, int, const char *, int, unsigned int)',
  posix_spawn_file_actions_adddup2: 'int posix_spawn_file_actions_adddup2(void *, int, int)',
  posix_spawn_file_actions_destroy: 'int posix_spawn_file_actions_destroy(void *)',
  posix_spawnattr_init: 'int posix_spawnattr_init(void *)',
  posix_spawnattr_setflags: 'int posix_spawnattr_setflags(void *, short)',
  posix_spawnattr_setsigmask: 'int posix_spawnattr_setsigmask(void *, void *)',
  posix_spawnattr_setsigdefault: 'int posix_spawnattr_setsigdefault(void *, void *)',
  posix_spawn:
    'int posix_spawn(void *, const char *, void *, void *, const char **, const char **)',
  waitid: 'int waitid(int, unsigned int, void *, int)',
  getrlimit: 'int getrlimit(int, void *)',
  setrlimit: 'int setrlimit(int, void *)',
  getsockopt: 'int getsockopt(int, int, int, void *, void *)',
  socket: 'int socket(int, int, int)',
  connect: 'int connect(int, void *, unsigned int)',
  send: 'long send(int, void *, size_t, int)',
  syscall: 'long syscall(long, unsigned long, unsigned long, unsigned long)',
  openat2: 'long syscall(long, int, const char *, void *, size_t)',
  statx: 'int statx(int, const char *, int, unsigned int, void *)',
};

/** The part of koffi that is used. Its own types are missing where it is not installed. */
interface Koffi {
  load(path: null): { func(prototype: string): (...args: unknown[]) => number };
  errno(): number;
  /** Returns memory at an address, which stays mapped. */
  view(address: unknown, bytes: number): ArrayBuffer;
}

/**
 * Loads the native part of koffi, whose package has no install script.
 *
 * @throws Error where it is not installed: on other systems and processors, and without optional packages
 */
export const loadKoffi = (): Koffi =>
  createRequire(import.meta.url)(`@koromix/koffi-${process.platform}-${process.arch}`) as Koffi;

export interface Loaded<Name extends keyof Libc> {
  readonly libc: Pick<Libc, Name>;
  /** errno(3) after the last call. */
  errno(): number;
}

export type LoadedLibc = Loaded<keyof Libc>;

/**
 * Loads functions of the C library of this process; by default all.
 *
 * @throws Error without koffi, and if the library lacks a function: glibc before 2.29
 */
export function loadLibc<Name extends keyof Libc>(
  names: readonly Name[] = Object.keys(prototypes) as Name[],
): Loaded<Name> {
  const koffi = loadKoffi();
  const library = koffi.load(null);
  const functions = names.map((name) => [name, library.func(prototypes[name])]);
  return { libc: Object.fromEntries(functions), errno: () => koffi.errno() };
}

/**
 * Numbers and layouts of the C library on Linux. glibc and musl agree on them, and so do x86-64 and
 * AArch64. The comments name the header; the test compiles a program that prints them.
 */
export const linuxAbi = {
  /** sys/ioctl.h */
  TIOCSWINSZ: 0x5414,
  FIONREAD: 0x541b,
  /** struct winsize: four unsigned shorts. */
  winsize: { bytes: 8, ws_row: 0, ws_col: 2 },
  /** termios.h: all flags are 32 bits. */
  termios: { bytes: 60, c_iflag: 0, c_lflag: 12 },
  TCSANOW: 0,
  BRKINT: 0o2,
  IXANY: 0o4000,
  IMAXBEL: 0o20000,
  IUTF8: 0o40000,
  ICANON: 0o2,
  ECHO: 0o10,
  /** spawn.h; both types are 336 and 80 bytes, or less. */
  POSIX_SPAWN_SETSIGDEF: 0x04,
  POSIX_SPAWN_SETSIGMASK: 0x08,
  POSIX_SPAWN_SETSID: 0x80,
  spawnTypeBytes: 512,
  /** signal.h */
  sigsetBytes: 128,
  siginfo: { bytes: 128, si_code: 8, si_pid: 16, si_status: 24 },
  CLD_EXITED: 1,
  /** sys/wait.h */
  P_ALL: 0,
  P_PID: 1,
  WNOHANG: 0x1,
  WEXITED: 0x4,
  WNOWAIT: 0x1000000,
  /** sys/resource.h: both limits are 64 bits. */
  RLIMIT_NOFILE: 7,
  RLIMIT_LOCKS: 10,
  rlimit: { bytes: 16, rlim_cur: 0, rlim_max: 8 },
  /** sys/socket.h */
  SOL_SOCKET: 1,
  SO_PEERCRED: 17,
  ucred: { bytes: 12, pid: 0, uid: 4 },
  AF_UNIX: 1,
  SOCK_DGRAM: 2,
  SOCK_NONBLOCK: 0o4000,
  SOCK_CLOEXEC: 0o2000000,
  MSG_DONTWAIT: 0x40,
  MSG_NOSIGNAL: 0x4000,
  /** sys/mman.h and fcntl.h */
  PROT_READ: 1,
  PROT_WRITE: 2,
  MAP_SHARED: 1,
  MFD_CLOEXEC: 1,
  MFD_ALLOW_SEALING: 2,
  F_ADD_SEALS: 1033,
  F_SEAL_SEAL: 1,
  F_SEAL_SHRINK: 2,
  F_SEAL_GROW: 4,
  /** sys/syscall.h and linux/close_range.h */
  SYS_close_range: 436,
  CLOSE_RANGE_CLOEXEC: 4,
  /** fcntl.h, sys/stat.h, errno.h and linux/openat2.h */
  SYS_openat2: 437,
  AT_FDCWD: -100,
  AT_EMPTY_PATH: 0x1000,
  AT_STATX_DONT_SYNC: 0x4000,
  O_PATH: 0o10000000,
  O_CLOEXEC: 0o2000000,
  RESOLVE_CACHED: 0x20,
  openHow: { bytes: 24, flags: 0, resolve: 16 },
  STATX_BASIC_STATS: 0x7ff,
  statx: {
    bytes: 256,
    stx_mask: 0,
    stx_uid: 20,
    stx_mode: 28,
    stx_ino: 32,
    stx_size: 40,
    stx_ctime: 96,
    stx_mtime: 112,
  },
  ENOENT: 2,
} as const;
