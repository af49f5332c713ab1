import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { markerIdName } from '../start/environment.ts';
import { readsTerminal } from './proc-terminal-reads.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';

/** Clock ticks a second in /proc: USER_HZ, 100 on every architecture that we run on. */
const ticksPerSecond = 100;

/** What /proc counts memory in. */
const pageBytes = readPageBytes();

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

  /** proc_pid_smaps(5): the proportional set size. */
  async ownBytes(pid: number): Promise<number | null> {
    // Not synchronous: the kernel walks through all of its memory.
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    const [, kilobytes] = /^Pss:\s*(\d+) kB$/m.exec(rollup) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  }

  readsTerminal(pid: number, terminal: string): Promise<boolean | null> {
    return readsTerminal(pid, terminal);
  }
}

/** getauxval(3): AT_PAGESZ, in a table of pairs of 64-bit words. */
function readPageBytes(): number {
  const pageSizeEntry = 6n;
  try {
    const table = readFileSync('/proc/self/auxv');
    for (let at = 0; at + 16 <= table.length; at += 16) {
      const key = table.readBigUInt64LE(at);
      if (key === pageSizeEntry) return Number(table.readBigUInt64LE(at + 8));
    }
  } catch {
    // Not Linux, and nobody asks.
  }
  return 4096;
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
    stopped: fields[0] === 'T',
    residentBytes: number(24) * pageBytes,
    cpuMs: ((number(14) + number(15) + number(16) + number(17)) * 1000) / ticksPerSecond,
  };
}
