import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { openFilesLimit } from '#libc';
import { VtrError } from '#model';
import { realUser } from '#trust';

/** A limited resource of the system that a spawn uses. */
export interface Headroom {
  readonly what: string;
  /** Null if the system does not report it. */
  readonly used: number | null;
  /** Null if there is no limit, or none that can be read. */
  readonly max: number | null;
  /** How much must be free, including a reserve for the rest of the process. */
  readonly needed: number;
}

const filesWhat = 'open files';

/** The master, the slave, and fds open briefly during the checks and the fork. */
const fdsPerSpawn = 4;
/** Reserved for connections, logs and the listing of processes; less if the limit is low. */
const reservedFds = 64;

/**
 * Refuses a spawn that would exceed a limit. Without this check, node-pty aborts this process if it
 * cannot create a thread.
 *
 * @param tasks processes and threads that must be free; 0: they are not counted
 * @throws VtrError SYSTEM_LIMIT
 */
export function checkHeadroom(tasks: number, read = readHeadroom): void {
  const short = read(tasks).find(isShort);
  if (short === undefined) return;
  const { what, used, max } = short;
  throw new VtrError(
    'SYSTEM_LIMIT',
    `cannot start another program: ${usage(short)}; end sessions or raise the limit`,
    { details: { limit: what, used: used ?? 0, max: max ?? 0 } },
  );
}

const usage = ({ what, used, max }: Headroom): string =>
  `${what} ${used ?? '?'} of ${max ?? 'no limit'}`;

/**
 * Returns the error for a start that was refused. node-pty reports no reason, and an errno has several,
 * so the limits are checked.
 */
export function forkRefused(
  cause: unknown,
  read: () => readonly Headroom[] = () => [...readHeadroom(1), pseudoTerminals()],
): VtrError {
  const all = read();
  const likely = all.find(isShort)?.what;
  const numbers = all.map(usage);
  const reason = likely === undefined ? 'no readable limit is reached' : `likely ${likely}`;
  return new VtrError(
    likely === undefined ? 'SPAWN_FAILED' : 'SYSTEM_LIMIT',
    `could not create a pseudo-terminal or a process (${(cause as Error).message}); ` +
      `${reason}: ${numbers.join(', ')}`,
    { cause, details: { limits: numbers } },
  );
}

/** Node.js needs at least so many tasks to start: it hangs where it cannot create one of its threads. */
const tasksOfNode = 6;

/** With the threads of its pool, which Node.js creates when it needs them first: it aborts where it cannot create one. */
const tasksWithPool = tasksOfNode + 5;

/**
 * Returns the limits that keep Node.js from starting, such as `open files 64 of 64`; empty if none does.
 *
 * @param signal the signal that ended a process of Node.js, if one has ended
 */
export function limitsOfStart(signal: NodeJS.Signals | null = null, read = readHeadroom): string {
  const tasks = signal === 'SIGABRT' ? tasksWithPool : tasksOfNode;
  return read(tasks).filter(isShort).map(usage).join(', ');
}

/** Returns the limits on processes and threads among {@link limitsOfStart}. */
export const taskLimitsOfStart = (read = readHeadroom): string =>
  limitsOfStart(null, (tasks) => read(tasks).filter(({ what }) => what !== filesWhat));

/** Returns RLIMIT_NOFILE, null if it cannot be read. A call of the C library takes a tenth of the time of the file. */
export function maxOpenFds(): number | null {
  return openFilesLimit() ?? softLimit(readText('/proc/self/limits'), 'Max open files');
}

/** Returns how many files this process can still open; null if that is not known. */
export function filesLeft(): number | null {
  const max = maxOpenFds();
  return max === null ? null : max - (lowestFreeFd() ?? max);
}

/** @throws VtrError SYSTEM_LIMIT if this process can open fewer files than `needed` */
export function checkFilesLeft(needed: number, left = filesLeft(), max = maxOpenFds()): void {
  if (left === null || max === null || left >= needed) return;
  const used = max - left;
  throw new VtrError(
    'SYSTEM_LIMIT',
    `no connection could be accepted: ${filesWhat} ${used} of ${max}; raise the limit (ulimit -n)`,
    { details: { limit: filesWhat, used, max } },
  );
}

function isShort({ used, max, needed }: Headroom): boolean {
  return used !== null && max !== null && used + needed > max;
}

function readHeadroom(tasks: number): readonly Headroom[] {
  // macOS has no /proc, and a failure to create a thread was not observed there.
  if (process.platform !== 'linux') return [];
  const files = openFiles();
  return tasks === 0 ? [files] : [files, userTasks(tasks), groupTasks(tasks)];
}

function openFiles(): Headroom {
  const max = maxOpenFds();
  const reserved = Math.min(reservedFds, Math.floor((max ?? 0) / 8));
  return {
    what: filesWhat,
    used: lowestFreeFd() ?? max,
    max,
    needed: fdsPerSpawn + reserved,
  };
}

/** Returns the lowest free fd, which the system gives out next; null if there is none. */
function lowestFreeFd(): number | null {
  try {
    const free = openSync('/dev/null', 'r');
    closeSync(free);
    return free;
  } catch {
    return null;
  }
}

/** RLIMIT_NPROC limits the tasks (threads) of the real user, except of root: setrlimit(2). */
function userTasks(needed: number): Headroom {
  const uid = realUser();
  const max = uid === 0 ? null : softLimit(readText('/proc/self/limits'), 'Max processes');
  const what = 'processes and threads of this user';
  if (max === null) return { what, used: null, max, needed };
  // proc_loadavg(5): running/all tasks of the system. Usually even these are below the limit.
  const all = Number(/\d+\/(\d+)/.exec(readText('/proc/loadavg'))?.[1] ?? Number.NaN);
  const used = all + needed <= max ? all : countTasks(uid);
  return { what, used, max, needed };
}

function countTasks(uid: number): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, pid) => sum + tasksOf(pid, uid), 0);
}

function tasksOf(pid: string, uid: number): number {
  try {
    if (statSync(`/proc/${pid}`).uid !== uid) return 0;
  } catch {
    return 0;
  }
  return Number(/^Threads:\s*(\d+)/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? 0);
}

/** The limit of the control group: pids.max of cgroup v2 or v1. */
function groupTasks(needed: number): Headroom {
  const groups = readText('/proc/self/cgroup');
  const v2 = /^0::(.*)$/m.exec(groups)?.[1];
  const v1 = /^\d+:(?:.*,)?pids(?:,.*)?:(.*)$/m.exec(groups)?.[1];
  const directory = v1 === undefined ? `/sys/fs/cgroup${v2 ?? ''}` : `/sys/fs/cgroup/pids${v1}`;
  return {
    what: 'processes and threads of this control group',
    used: readNumber(`${directory}/pids.current`),
    max: readNumber(`${directory}/pids.max`),
    needed,
  };
}

/** The limit of this mount of devpts, as in a container, or else the system's. */
function pseudoTerminals(): Headroom {
  const what = 'pseudo-terminals';
  const mounts = readText('/proc/self/mounts').matchAll(/^\S+ \/dev\/pts devpts (\S+)/gm);
  // The last mount hides the others.
  const [, options = ''] = [...mounts].at(-1) ?? [];
  const max = /\bmax=(\d+)/.exec(options)?.[1];
  if (max !== undefined) return { what, used: countTerminals(), max: Number(max), needed: 1 };
  const used = readNumber('/proc/sys/kernel/pty/nr');
  return { what, used, max: readNumber('/proc/sys/kernel/pty/max'), needed: 1 };
}

function countTerminals(): number | null {
  try {
    return readdirSync('/dev/pts').filter((name) => /^\d+$/.test(name)).length;
  } catch {
    return null;
  }
}

function softLimit(limits: string, name: string): number | null {
  const limit = new RegExp(`^${name}\\s+(\\d+)`, 'm').exec(limits)?.[1];
  return limit === undefined ? null : Number(limit);
}

/** Returns null for a file that is missing, empty or contains `max`. */
function readNumber(path: string): number | null {
  const text = readText(path).trim();
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** Returns an empty text if the file cannot be read. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
