import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { platform } from 'node:os';

/** The most that is read of the arguments of a process, in UTF-16 code units. */
const maxLength = 4096;

/**
 * Returns the arguments of each process, with its program first; empty for one that has ended, or that is hidden.
 * proc_pid_cmdline(5); on other systems from ps(1), which does not tell blanks in an argument from those between two.
 */
export function processArguments(pids: readonly number[]): Promise<readonly (readonly string[])[]> {
  return platform() === 'linux' ? Promise.all(pids.map(fromProc)) : fromPs(pids);
}

async function fromProc(pid: number): Promise<readonly string[]> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return text.slice(0, maxLength).split('\0').filter(Boolean);
}

async function fromPs(pids: readonly number[]): Promise<readonly (readonly string[])[]> {
  if (pids.length === 0) return [];
  const args = ['-ww', '-o', 'pid=,args=', '-p', pids.join(',')];
  const listed = await new Promise<string>((resolve) => {
    // Fails with a list if one of the processes has ended.
    execFile('ps', args, (_, stdout) => resolve(stdout));
  });
  const rows = listed.split('\n').map((row) => row.trim().split(/\s+/u));
  const commands = new Map(rows.map(([pid, ...words]) => [Number(pid), words]));
  return pids.map((pid) => commands.get(pid)?.join(' ').slice(0, maxLength).split(' ') ?? []);
}
