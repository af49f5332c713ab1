import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { markerIdName } from './environment.ts';
import { readsTerminal } from './proc-terminal-reads.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';

/** Clock ticks a second in /proc: USER_HZ, 100 on every architecture that we run on. */
const ticksPerSecond = 100;

/** Processes read before others have a turn: about a millisecond's worth. */
const sliceLength = 64;

/** Linux, by way of /proc: proc_pid_stat(5), proc_pid_environ(5). */
export class ProcProcessTable implements ProcessTable {
  now(): number {
    return Math.round(uptime() * ticksPerSecond);
  }

  async find(pid: number): Promise<ProcessEntry | null> {
    return readEntry(pid);
  }

  async list(): Promise<readonly ProcessEntry[]> {
    const entries: ProcessEntry[] = [];
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    for (const [index, pid] of pids.entries()) {
      if (index % sliceLength === sliceLength - 1) await nextTurn();
      const entry = readEntry(pid);
      if (entry !== null) entries.push(entry);
    }
    return entries;
  }

  async sessionId(entry: ProcessEntry): Promise<string | null> {
    // Not synchronous: the kernel may make the reader of an environment wait for its owner.
    const environ = await readFile(`/proc/${entry.pid}/environ`, 'utf8').catch(() => '');
    const prefix = `${markerIdName}=`;
    const pair = environ.split('\0').find((each) => each.startsWith(prefix));
    return pair === undefined ? null : pair.slice(prefix.length);
  }

  readsTerminal(pid: number, terminal: string): Promise<boolean | null> {
    return readsTerminal(pid, terminal);
  }
}

function readEntry(pid: number): ProcessEntry | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // It has ended, or is not ours to see (hidepid).
    return null;
  }
}

/** @param stat a line of proc_pid_stat(5); field numbers in the comments are those of its table. */
export function parseStat(stat: string): ProcessEntry | null {
  // The name stands in parentheses and may hold any character, parentheses and blanks included.
  const open = stat.indexOf('(');
  const close = stat.lastIndexOf(')');
  if (open < 0 || close < 0) return null;
  // From field 3 on.
  const fields = stat.slice(close + 2).split(' ');
  const number = (field: number): number => Number(fields[field - 3]);
  return {
    pid: Number.parseInt(stat, 10),
    name: stat.slice(open + 1, close),
    // A process whose first thread has ended looks dead here while the others run on.
    zombie: (fields[0] === 'Z' || fields[0] === 'X') && number(20) <= 1,
    parent: number(4),
    group: number(5),
    session: number(6),
    terminal: null,
    foreground: number(8),
    startedAt: number(22),
  };
}
