import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { SessionInfo } from 'vtr';

const run = promisify(execFile);
const hasProc = existsSync('/proc/self/environ');

/**
 * Living processes of these sessions: those whose environment bears the id of one, which vtr gives
 * to every program that it starts and programs give to their children, and the programs themselves.
 */
export async function runningProcesses(sessions: readonly SessionInfo[]): Promise<number[]> {
  const marks = sessions.map(({ id }) => `VTR_SESSION_ID=${id}`);
  const marked = hasProc ? markedInProc(marks) : await markedInPs(marks);
  const programs = sessions.map(({ pid }) => pid).filter((pid) => !hasProc && isAlive(pid));
  return [...new Set([...marked, ...programs])];
}

/** False also for a process that is dead and not yet reaped, where /proc can tell. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !hasProc || !/^State:\s*Z/m.test(readOrEmpty(`/proc/${pid}/status`));
}

/** Linux: proc_pid_environ(5). A process that is dead and not yet reaped has no environment. */
function markedInProc(marks: readonly string[]): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    const environment = readOrEmpty(`/proc/${pid}/environ`).split('\0');
    return marks.some((mark) => environment.includes(mark));
  });
}

/** macOS: ps shows an environment behind the command, except that of programs which are Apple's. */
async function markedInPs(marks: readonly string[]): Promise<number[]> {
  const { stdout } = await run('ps', ['-axEww', '-o', 'pid=,command=']);
  const lines = stdout.split('\n').filter((line) => marks.some((mark) => line.includes(mark)));
  return lines.map((line) => Number.parseInt(line, 10));
}

/** Processes end while one looks, and some are not ours to see. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
