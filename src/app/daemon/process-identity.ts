import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process, distinct from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time: clock ticks since boot on Linux, milliseconds since the epoch elsewhere. */
  readonly start: number;
}

/** Returns the identity of this process. */
export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, start: startOf(process.pid) ?? 0 };
}

/** Returns the identity of a process; null if no process has the pid. */
export function identityOf(pid: number): ProcessIdentity | null {
  const start = startOf(pid);
  return start === null ? null : { pid, start };
}

/** Whether the process runs. A zombie counts as dead: it owns no resources. */
export function isAlive({ pid, start }: ProcessIdentity): boolean {
  return startOf(pid) === start;
}

/** Returns the start time; null if no process has the pid, or only a zombie. */
function startOf(pid: number): number | null {
  return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
}

/** proc(5): the state is field 3 and the start time field 22; field 2, the name, may contain spaces and parentheses. */
function startFromProc(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /^[ZXx]/.test(fields[0] ?? '') ? null : Number(fields[19]);
  } catch {
    return null;
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
