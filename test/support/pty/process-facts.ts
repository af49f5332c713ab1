import { readdirSync, readFileSync } from 'node:fs';

/** Everything here but {@link isAlive} and our own CPU time needs Linux's /proc. */
export const hasProc = process.platform === 'linux';

export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

export function threads(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).length;
}

/** The threads of all processes of a user, which RLIMIT_NPROC limits. */
export function tasksOfUser(uid: number): number {
  return stats()
    .filter(({ pid }) =>
      new RegExp(`^Uid:\\s*${uid}\\b`, 'm').test(readOrEmpty(`/proc/${pid}/status`)),
    )
    .reduce((sum, { pid }) => sum + threads(pid), 0);
}

/** Children of `pid` that are dead and not reaped. */
export function zombies(pid: number): number {
  return stats().filter((stat) => stat.state === 'Z' && stat.parent === pid).length;
}

/** Processor time since the start of the process, in ms. */
export function cpuMs(pid: number): number {
  if (pid === process.pid) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
  const fields = fieldsAfterName(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // utime and stime, in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Its resident memory, in MB of 1,048,576 bytes. */
export function residentMb(pid: number): number {
  const [, kilobytes] =
    /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Running processes with this VTR_SESSION_ID. */
export const marked = (id: string): number[] => processesWith(`VTR_SESSION_ID=${id}`);

/** Running processes with this variable in their initial environment. */
export function processesWith(variable: `${string}=${string}`): number[] {
  return stats()
    .filter((stat) => stat.state !== 'Z' && environ(stat.pid).includes(variable))
    .map((stat) => stat.pid);
}

/** The process that owns the pseudo-terminals of a daemon, if that is not the daemon itself. */
export function ptyHostOf(daemon: number): number | null {
  const isHost = (pid: number) => readOrEmpty(`/proc/${pid}/cmdline`).includes('vtr-ptyd');
  const host = stats().find(({ pid, parent }) => parent === daemon && isHost(pid));
  return host?.pid ?? null;
}

/** False also for a zombie that this process may not reap. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !hasProc || stats().some((stat) => stat.pid === pid && stat.state !== 'Z');
}

interface Stat {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
}

function stats(): Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const fields = fieldsAfterName(readOrEmpty(`/proc/${name}/stat`));
      const [state = '', parent = ''] = fields;
      return state === '' ? [] : [{ pid: Number(name), state, parent: Number(parent) }];
    });
}

function environ(pid: number): string[] {
  return readOrEmpty(`/proc/${pid}/environ`).split('\0');
}

function fieldsAfterName(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** A process may end before it is read. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
