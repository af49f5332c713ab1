import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whether a command for sh exits with 0. */
export function succeeds(command: string): Promise<boolean> {
  return new Promise((resolve) => execFile('/bin/sh', ['-c', command], (error) => resolve(!error)));
}

export const isInstalled = (program: string): Promise<boolean> => succeeds(`command -v ${program}`);

/** A script for sh that needs no other program. */
export const script = (text: string): readonly string[] => ['sh', '-c', text];

/** The running processes with this variable, as in `NAME=value`, in their environment. */
export async function processesWith(variable: string): Promise<number[]> {
  if (!existsSync('/proc/self/environ')) return processesOfPs(variable);
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  // A zombie has no environment, see proc_pid_environ(5).
  return pids.filter((pid) => readEnvironment(pid).includes(variable));
}

/** macOS: ps prints the environment after the command, except for programs of Apple. */
async function processesOfPs(variable: string): Promise<number[]> {
  const { stdout } = await run('ps', ['-axEww', '-o', 'pid=,command=']);
  const lines = stdout.split('\n').filter((line) => line.includes(variable));
  return lines.map((line) => Number.parseInt(line, 10));
}

/** Empty when the process has exited or belongs to another user. */
function readEnvironment(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
