import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { checkWritePath, removeFile, replaceFile } from '#config';
import { systemReason, VtrError } from '#model';

/** A process, distinct from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time: clock ticks since boot on Linux, milliseconds since the epoch elsewhere. */
  readonly start: number;
}

/** Returns the identity of this process. @throws VtrError UNAVAILABLE if the system cannot tell */
export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, start: startOf(process.pid) ?? 0 };
}

/**
 * Returns the identity of a process; null if no process has the pid.
 *
 * @throws VtrError UNAVAILABLE if the system cannot tell
 */
export function identityOf(pid: number): ProcessIdentity | null {
  const start = startOf(pid);
  return start === null ? null : { pid, start };
}

/**
 * Whether the process runs; also true if the system cannot tell, for want of a descriptor: nobody may take
 * over from it. A zombie counts as dead once all its threads have ended: until then its sockets are open.
 */
export function isAlive({ pid, start }: ProcessIdentity): boolean {
  try {
    return startOf(pid) === start;
  } catch {
    return true;
  }
}

/** Returns the start time; null if no process has the pid, or only a zombie. @throws VtrError UNAVAILABLE */
function startOf(pid: number): number | null {
  return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
}

/** The process has ended, or is hidden from this user. */
const noProcess = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];

/**
 * Returns the fields of proc(5) from the third, the state; none if no process has the pid. Field 2, the
 * name, may contain spaces and parentheses.
 *
 * @throws VtrError UNAVAILABLE
 */
export function statFields(pid: number, file = `/proc/${pid}/stat`): string[] {
  try {
    const stat = readFileSync(file, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch (error) {
    if (noProcess.includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw new VtrError('UNAVAILABLE', `process ${pid} cannot be read: ${systemReason(error)}`);
  }
}

/** The number of threads is field 20, the start time field 22. */
function startFromProc(pid: number): number | null {
  const [state, ...others] = statFields(pid);
  if (state === undefined) return null;
  const hasEnded = /^[ZXx]/.test(state) && Number(others[16]) <= 1;
  return hasEnded ? null : Number(others[18]);
}

/** What a process does, as its main thread. */
export interface Activity {
  /** `other`: it runs, or waits for a processor or a disk. */
  readonly state: 'stopped' | 'sleeping' | 'other';
  /** CPU time of its main thread, in ms; 0 where the system does not tell. */
  readonly cpuMs: number;
}

/** Clock ticks per second in /proc: USER_HZ. */
const ticksPerSecond = 100;

/** Returns what a process does; null if no process has the pid. */
export function activityOf(pid: number): Activity | null {
  const isLinux = process.platform === 'linux';
  const fields = isLinux ? statFields(pid, `/proc/${pid}/task/${pid}/stat`) : [stateFromPs(pid)];
  const [code = ''] = fields;
  if (code === '' || /^[ZXx]/.test(code)) return null;
  // utime and stime: fields 14 and 15.
  const ticks = isLinux ? Number(fields[11]) + Number(fields[12]) : 0;
  const state = /^[Tt]/.test(code) ? 'stopped' : /^[SI]/.test(code) ? 'sleeping' : 'other';
  return { state, cpuMs: (ticks * 1000) / ticksPerSecond };
}

function stateFromPs(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

function startFromPs(pid: number): number | null {
  try {
    const args = ['-o', 'state=,lstart=', '-p', String(pid)];
    const line = execFileSync('ps', args, { encoding: 'utf8', env: { LC_ALL: 'C' } }).trim();
    const [state = '', ...start] = line.split(/\s+/);
    return state.startsWith('Z') ? null : Date.parse(start.join(' '));
  } catch {
    return null;
  }
}

/** The contents of a pid file: pid, start time and socket, one per line. */
export interface PidFileFacts extends ProcessIdentity {
  readonly socket: string;
}

/**
 * Writes the pid file of this process, in one step.
 *
 * @returns a function that removes the file if it is unchanged; it throws VtrError IO_ERROR
 * @throws VtrError IO_ERROR, INVALID_ARGUMENT if another user has put a link there
 */
export function writePidFile(file: string, socket: string): () => void {
  checkWritePath(file);
  const { pid, start } = thisProcess();
  const text = `${[pid, start, socket, randomUUID()].join('\n')}\n`;
  replaceFile(file, text, { mode: 0o644 });
  return () => {
    if (readOrNull(file) === text) removeFile(file);
  };
}

/** @throws VtrError INVALID_ARGUMENT if vtr did not write the file */
export function readPidFile(file: string): PidFileFacts {
  const [pid, start, socket] = (readOrNull(file) ?? '').split('\n');
  if (socket && Number.isInteger(Number(pid)) && Number.isInteger(Number(start))) {
    return { pid: Number(pid), start: Number(start), socket };
  }
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${file} is not a pid file of vtr; stop the daemon with vtr serve --stop --socket PATH`,
  );
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
