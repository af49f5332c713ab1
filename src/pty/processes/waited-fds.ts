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
