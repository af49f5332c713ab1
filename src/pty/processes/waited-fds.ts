/** A file that a blocked call waits for. */
export interface WaitedFile {
  /** Its descriptor. */
  readonly file: number;
  /** Whether it is waited for until it can be read. */
  readonly input: boolean;
}

/** POLLIN and POLLRDNORM of poll(2), which are EPOLLIN and EPOLLRDNORM too. */
const inputEvents = 0x041;
/** struct pollfd: the descriptor in 32 bits, events asked for in 16, events that came in 16. */
const pollfdBytes = 8;

export function bytesOfPoll(count: number): number {
  return count * pollfdBytes;
}

export function filesOfPoll(structures: Buffer): WaitedFile[] {
  const files: WaitedFile[] = [];
  for (let at = 0; at + pollfdBytes <= structures.length; at += pollfdBytes) {
    const file = structures.readInt32LE(at);
    const events = structures.readUInt16LE(at + 4);
    // A negative descriptor is one that is passed over.
    if (file >= 0) files.push({ file, input: (events & inputEvents) !== 0 });
  }
  return files;
}

/** The kernel reads whole words of 64 bits. */
export function bytesOfSelect(count: number): number {
  return Math.ceil(count / 64) * 8;
}

/** @param sets for reading, writing and exceptions: a bit for each descriptor */
export function filesOfSelect(sets: readonly Buffer[], count: number): WaitedFile[] {
  const files: WaitedFile[] = [];
  for (let file = 0; file < count; file++) {
    const [input = false, ...others] = sets.map((set) => hasBit(set, file));
    if (input || others.includes(true)) files.push({ file, input });
  }
  return files;
}

function hasBit(set: Buffer, bit: number): boolean {
  return (((set[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
}

/** @param fdinfo of an epoll descriptor, proc_pid_fdinfo(5): a line with `tfd` for each file */
export function filesOfEpoll(fdinfo: string): WaitedFile[] {
  return [...fdinfo.matchAll(/^tfd:\s*(\d+)\s+events:\s*([0-9a-f]+)/gm)].map(
    ([, file, events = '']) => ({
      file: Number(file),
      input: (Number.parseInt(events, 16) & inputEvents) !== 0,
    }),
  );
}
