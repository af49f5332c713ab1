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
  return processesOfUser(uid, stats()).reduce((sum, pid) => sum + threads(pid), 0);
}

/** The processes of a user, by default those that are no zombies. */
export function processesOfUser(
  uid: number,
  among = stats().filter(({ state }) => state !== 'Z'),
): number[] {
  const own = new RegExp(`^Uid:\\s*${uid}\\b`, 'm');
  return among.map(({ pid }) => pid).filter((pid) => own.test(readOrEmpty(`/proc/${pid}/status`)));
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

/** Running processes with one of these as VTR_SESSION_ID. */
export const marked = (...ids: readonly string[]): number[] =>
  processesWith(...ids.map((id) => `VTR_SESSION_ID=${id}` as const));

/** Running processes with one of these variables in their initial environment. */
export function processesWith(...variables: readonly `${string}=${string}`[]): number[] {
  // The environment first: few processes have it, and all processes have a state.
  return pids().filter((pid) => {
    const environment = environ(pid);
    return variables.some((each) => environment.includes(each)) && isRunning(pid);
  });
}

/** The process that owns the pseudo-terminals of a daemon, if that is not the daemon itself. */
export function ptyHostOf(daemon: number): number | null {
  const isHost = (pid: number) => readOrEmpty(`/proc/${pid}/cmdline`).includes('vtr-ptyd');
  const host = stats().find(({ pid, parent }) => parent === daemon && isHost(pid));
  return host?.pid ?? null;
}

/** The same of all daemons whose socket is in a directory, also of those that have ended. */
export const ptyHostsIn = (directory: string): number[] =>
  pids().filter((pid) => {
    const command = readOrEmpty(`/proc/${pid}/cmdline`);
    return command.includes('vtr-ptyd') && command.includes(directory);
  });

/** The processes that this one has started and whose command line, with spaces between its words, has a text. */
export const childrenWith = (text: string): number[] =>
  readdirSync('/proc/self/task')
    .flatMap((thread) => readOrEmpty(`/proc/self/task/${thread}/children`).split(' '))
    .filter((pid) => pid !== '' && commandOf(Number(pid)).includes(text))
    .map(Number);

/** The running processes whose command line has a text. */
export const processesNaming = (text: string): number[] =>
  pids().filter((pid) => commandOf(pid).includes(text) && isRunning(pid));

/** Its words, with spaces between them; empty if it has ended. */
export const commandOf = (pid: number): string =>
  readOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();

/** False also for a zombie that this process may not reap. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !hasProc || isRunning(pid);
}

/** False for a zombie, too, once all its threads have ended: until then its sockets are open. */
function isRunning(pid: number): boolean {
  const { state = 'Z', threads: count = 0 } = statOf(pid) ?? {};
  return state !== 'Z' || count > 1;
}

/** Whether a signal has stopped the process. */
export const isStopped = (pid: number): boolean => statOf(pid)?.state === 'T';

interface Stat {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly threads: number;
}

const pids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

const stats = (): Stat[] => pids().flatMap((pid) => statOf(pid) ?? []);

function statOf(pid: number): Stat | undefined {
  const fields = fieldsAfterName(readOrEmpty(`/proc/${pid}/stat`));
  const [state = '', parent = ''] = fields;
  return state === ''
    ? undefined
    : { pid, state, parent: Number(parent), threads: Number(fields[17]) };
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
