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
  RLIMIT_LOCKS: 10,
  rlimit: { bytes: 16, rlim_cur: 0, rlim_max: 8 },
  /** sys/socket.h */
  SOL_SOCKET: 1,
  SO_PEERCRED: 17,
  ucred: { bytes: 12, pid: 0, uid: 4 },
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
} as const;
