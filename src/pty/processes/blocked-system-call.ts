/** The system call that a thread is blocked in, if it may be waiting for input. */
export type BlockedSystemCall =
  /** A call that input does not end, or the thread is not blocked. */
  | { readonly of: 'other' }
  /** A call that may wait for input; its files are unknown. */
  | { readonly of: 'unknown' }
  | { readonly of: 'read'; readonly fd: number }
  /** `address` and `count` of the pollfd structures. */
  | (MayTimeOut & { readonly of: 'poll'; readonly address: number; readonly count: number })
  /** Addresses of the fd sets for reading, writing and exceptions, 0 for none; `count` is nfds. */
  | (MayTimeOut & {
      readonly of: 'select';
      readonly addresses: readonly number[];
      readonly count: number;
    })
  | { readonly of: 'epoll'; readonly fd: number };

interface MayTimeOut {
  /** Whether the call ends after some time. */
  readonly timesOut: boolean;
}

type CallName = 'read' | 'poll' | 'select' | 'epoll' | 'unknown';

/**
 * By number, from Linux's asm/unistd_64.h and asm-generic/unistd.h. Other calls do not wait for
 * input.
 */
const callNames: Readonly<Record<string, Readonly<Record<number, CallName>>>> = {
  x64: {
    0: 'read',
    7: 'poll',
    19: 'read', // readv
    23: 'select',
    40: 'unknown', // sendfile
    219: 'unknown', // restart_syscall: restarts a poll or a nanosleep
    232: 'epoll', // epoll_wait
    270: 'select', // pselect6
    271: 'poll', // ppoll
    275: 'unknown', // splice
    281: 'epoll', // epoll_pwait
    327: 'read', // preadv2
    426: 'unknown', // io_uring_enter
    441: 'epoll', // epoll_pwait2
  },
  arm64: {
    22: 'epoll', // epoll_pwait
    63: 'read',
    65: 'read', // readv
    71: 'unknown', // sendfile
    72: 'select', // pselect6
    73: 'poll', // ppoll
    76: 'unknown', // splice
    128: 'unknown', // restart_syscall
    286: 'read', // preadv2
    426: 'unknown', // io_uring_enter
    441: 'epoll', // epoll_pwait2
  },
};

/** An upper bound on fds in one poll or select: RLIMIT_NOFILE is seldom higher. */
const maxFds = 65_536;

/** The stacks of 32-bit programs are below. Their system calls have other numbers. */
const lowestStack64 = 2 ** 32;

/**
 * Parses /proc/PID/task/TID/syscall, proc_pid_syscall(5): the number of the call, its six
 * arguments, the stack pointer and the program counter; `running`; or -1 and the last two.
 *
 * @param arch as in `process.arch`
 */
export function parseBlockedSystemCall(text: string, arch: string): BlockedSystemCall {
  const fields = text.trim().split(' ').map(Number);
  const [number = Number.NaN, a = 0, b = 0, c = 0, d = 0, e = 0] = fields;
  if (fields.length !== 9) return { of: 'other' };
  const names = callNames[arch];
  const stack = fields[7] ?? 0;
  if (names === undefined || stack < lowestStack64) return { of: 'unknown' };
  switch (names[number]) {
    case 'read':
    case 'epoll':
      return { of: names[number], fd: a };
    case 'poll':
      if (b > maxFds) return { of: 'unknown' };
      return { of: 'poll', address: a, count: b, timesOut: !isEndless(number, c) };
    case 'select':
      if (a > maxFds) return { of: 'unknown' };
      return { of: 'select', addresses: [b, c, d], count: a, timesOut: e !== 0 };
    case 'unknown':
      return { of: 'unknown' };
    default:
      return { of: 'other' };
  }
}

/** poll(2) has a number of ms, where negative is endless; ppoll(2) a pointer, where null is endless. */
const pollNumber = 7;

const isEndless = (number: number, timeout: number): boolean =>
  number === pollNumber ? timeout >= 2 ** 31 : timeout === 0;

/** A file descriptor that a blocked system call waits for. */
export interface WaitedFd {
  readonly fd: number;
  /** Whether the call waits for it to be readable. */
  readonly input: boolean;
}

/** POLLIN and POLLRDNORM of poll(2), equal to EPOLLIN and EPOLLRDNORM. */
const inputEvents = 0x041;
/** struct pollfd: fd (32 bits), events (16 bits), revents (16 bits). */
const pollfdBytes = 8;

export function pollBytes(count: number): number {
  return count * pollfdBytes;
}

export function fdsOfPoll(structures: Buffer): WaitedFd[] {
  const fds: WaitedFd[] = [];
  for (let at = 0; at + pollfdBytes <= structures.length; at += pollfdBytes) {
    const fd = structures.readInt32LE(at);
    const events = structures.readUInt16LE(at + 4);
    // poll ignores a negative fd.
    if (fd >= 0) fds.push({ fd, input: (events & inputEvents) !== 0 });
  }
  return fds;
}

/** Rounds up to words of 64 bits, as the kernel does. */
export function selectBytes(count: number): number {
  return Math.ceil(count / 64) * 8;
}

/** @param sets fd sets for reading, writing and exceptions: one bit per fd */
export function fdsOfSelect(sets: readonly Buffer[], count: number): WaitedFd[] {
  const fds: WaitedFd[] = [];
  for (let fd = 0; fd < count; fd++) {
    const [input = false, ...others] = sets.map((set) => hasBit(set, fd));
    if (input || others.includes(true)) fds.push({ fd, input });
  }
  return fds;
}

function hasBit(set: Buffer, bit: number): boolean {
  return (((set[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
}

/** @param fdinfo of an epoll fd, proc_pid_fdinfo(5): a line with `tfd` for each fd */
export function fdsOfEpoll(fdinfo: string): WaitedFd[] {
  return [...fdinfo.matchAll(/^tfd:\s*(\d+)\s+events:\s*([0-9a-f]+)/gm)].map(
    ([, fd, events = '']) => ({
      fd: Number(fd),
      input: (Number.parseInt(events, 16) & inputEvents) !== 0,
    }),
  );
}
