import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Ticks of /proc/PID/stat per second, on Linux. */
const ticksPerSecond = 100;

/** CPU time that a process has used, in seconds, from Linux's /proc. 0 without a process. */
export function cpuSeconds(pid: number | null): number {
  if (pid === null) return 0;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident memory of a process, in KB (1,024 bytes). 0 without a process. */
export function residentKilobytes(pid: number | null): number {
  if (pid === null) return 0;
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(stdout);
}
