import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process, safe from one that is given the same number later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** A number that grows with time: clock ticks since boot on Linux, milliseconds elsewhere. */
  readonly start: number;
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, start: startOf(process.pid) ?? 0 };
}

/** A zombie counts as dead: it holds nothing. */
export function isAlive({ pid, start }: ProcessIdentity): boolean {
  return startOf(pid) === start;
}

/** Null where no process has the number, or only a dead one that was not reaped. */
function startOf(pid: number): number | null {
  return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
}

/** proc(5): the state is field 3 and the start time field 22; the name, field 2, may hold anything. */
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
