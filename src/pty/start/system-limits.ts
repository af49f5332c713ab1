import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { VtrError } from '#model';

/** What a spawn takes of something that the system has only so much of. */
export interface Headroom {
  readonly what: string;
  /** Null where the system does not tell. */
  readonly used: number | null;
  /** Null for no limit, or none that we can read. */
  readonly max: number | null;
  /** How much has to be free, for the spawn and for what must go on working beside it. */
  readonly needed: number;
}

/** The master, the slave, and what is open for a moment during the checks and the fork. */
const filesPerSpawn = 4;
/** Kept for connections, logs and the listing of processes; less where there are few in all. */
const reservedFiles = 64;
/** The program, and the binding's thread that waits for it. */
const tasksPerSpawn = 2;

/**
 * Refuses a spawn that would fail, or worse: where the system has no thread left for the binding,
 * the binding aborts this whole process.
 *
 * @throws VtrError SYSTEM_LIMIT
 */
export function checkHeadroom(read: () => readonly Headroom[] = readHeadroom): void {
  const short = read().find(isShort);
  if (short === undefined) return;
  const { what, used, max } = short;
  throw new VtrError(
    'SYSTEM_LIMIT',
    `no room for another program: ${usage(short)}; end sessions, or raise the limit`,
    { details: { limit: what, used: used ?? 0, max: max ?? 0 } },
  );
}

const usage = ({ what, used, max }: Headroom): string =>
  `${what} ${used ?? '?'} of ${max ?? 'no limit'}`;

/** The error for a fork that was refused; the binding does not say why, so the limits have to. */
export function forkRefused(
  cause: unknown,
  read: () => readonly Headroom[] = () => [...readHeadroom(), pseudoTerminals()],
): VtrError {
  const all = read();
  const likely = all.find(isShort)?.what;
  const numbers = all.map(usage);
  const reason = likely === undefined ? 'no limit that we can read is reached' : `likely ${likely}`;
  return new VtrError(
    likely === undefined ? 'SPAWN_FAILED' : 'SYSTEM_LIMIT',
    `the system refused a pseudo-terminal or a process (${(cause as Error).message}); ` +
      `${reason}: ${numbers.join(', ')}`,
    { cause, details: { limits: numbers } },
  );
}

/** RLIMIT_NOFILE; null where it cannot be read. */
export function maxOpenFiles(): number | null {
  return softLimit(readText('/proc/self/limits'), 'Max open files');
}

function isShort({ used, max, needed }: Headroom): boolean {
  return used !== null && max !== null && used + needed > max;
}

function readHeadroom(): readonly Headroom[] {
  // macOS has no /proc, and there a failing thread was not seen.
  if (process.platform !== 'linux') return [];
  const limits = readText('/proc/self/limits');
  return [openFiles(limits), userTasks(limits), groupTasks()];
}

function openFiles(limits: string): Headroom {
  const max = softLimit(limits, 'Max open files');
  const reserved = Math.min(reservedFiles, Math.floor((max ?? 0) / 8));
  return {
    what: 'open files',
    used: lowestFreeFile() ?? max,
    max,
    needed: filesPerSpawn + reserved,
  };
}

/** Descriptors are given out from the lowest free one, so this is the one that runs out; null where it has. */
function lowestFreeFile(): number | null {
  try {
    const free = openSync('/dev/null', 'r');
    closeSync(free);
    return free;
  } catch {
    return null;
  }
}

/** RLIMIT_NPROC counts the tasks (threads) of the real user, and does not hold root: setrlimit(2). */
function userTasks(limits: string): Headroom {
  const uid = process.getuid?.() ?? 0;
  const max = uid === 0 ? null : softLimit(limits, 'Max processes');
  const needed = tasksPerSpawn;
  const what = 'processes and threads of this user';
  if (max === null) return { what, used: null, max, needed };
  // proc_loadavg(5): running/all tasks of the system. Mostly that is far enough below the limit.
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

/** The control group's limit: pids.max, version 2 of the hierarchy or 1. */
function groupTasks(): Headroom {
  const groups = readText('/proc/self/cgroup');
  const v2 = /^0::(.*)$/m.exec(groups)?.[1];
  const v1 = /^\d+:(?:.*,)?pids(?:,.*)?:(.*)$/m.exec(groups)?.[1];
  const folder = v1 === undefined ? `/sys/fs/cgroup${v2 ?? ''}` : `/sys/fs/cgroup/pids${v1}`;
  return {
    what: 'processes and threads of this control group',
    used: readNumber(`${folder}/pids.current`),
    max: readNumber(`${folder}/pids.max`),
    needed: tasksPerSpawn,
  };
}

/** Of this mount of devpts where it has a limit of its own, as in a container; else the system's. */
function pseudoTerminals(): Headroom {
  const what = 'pseudo-terminals';
  const mounts = readText('/proc/self/mounts').matchAll(/^\S+ \/dev\/pts devpts (\S+)/gm);
  // The last one covers those before it.
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

/** Null for what is no number: `max`, nothing, no such file. */
function readNumber(path: string): number | null {
  const text = readText(path).trim();
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** Empty where it cannot be read. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
