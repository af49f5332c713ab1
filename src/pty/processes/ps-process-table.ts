import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sessionIdVariable } from '#model';
import type { ProcessEntry, ProcessTable, TerminalStop } from './process-table.ts';

const run = promisify(execFile);

/** Enough for long command lines and environments. */
const maxOutputBytes = 64 * 1024 * 1024;

const columns = ['pid', 'ppid', 'pgid', 'tpgid', 'tty', 'lstart', 'rss', 'time', 'stat', 'ucomm'];
const format = columns.flatMap((column) => ['-o', `${column}=`]);

/**
 * The process table of macOS, from ps(1): there is no /proc, and Node has no sysctl(3). This is the
 * only place where a process that owns pseudo-terminals starts a child outside of one. ps inherits
 * their masters and does not use them.
 */
export class PsProcessTable implements ProcessTable {
  now(): number {
    return Math.floor(Date.now() / 1000);
  }

  async find(pid: number): Promise<ProcessEntry | null> {
    return (await listing(['-p', String(pid), ...format]))[0] ?? null;
  }

  list(): Promise<readonly ProcessEntry[]> {
    return listing(['-ax', ...format]);
  }

  survey(): Promise<readonly ProcessEntry[]> {
    return this.list();
  }

  async sessionId(entry: ProcessEntry): Promise<string | null> {
    const command = await commandAndEnvironment(entry.pid);
    const match = new RegExp(`(?:^|\\s)${sessionIdVariable}=(\\S*)`).exec(command);
    return match?.[1] ?? null;
  }

  async hasVariable(pid: number, variables: readonly string[]): Promise<boolean> {
    const command = ` ${(await commandAndEnvironment(pid)).trimEnd()} `;
    return variables.some((each) => command.includes(` ${each} `));
  }

  mark(): null {
    return null;
  }

  pendingStops(): readonly TerminalStop[] {
    return [];
  }

  async pssBytes(): Promise<null> {
    return null;
  }

  async readsTerminal(): Promise<null> {
    return null;
  }

  async runTrace(): Promise<null> {
    return null;
  }

  async isWorking(): Promise<null> {
    return null;
  }

  /** lsof(8) reports it, at a fork for each process. */
  async directory(): Promise<null> {
    return null;
  }
}

const commandAndEnvironment = (pid: number): Promise<string> =>
  ps(['-E', '-ww', '-p', String(pid), '-o', 'command=']);

/** Returns an empty text if no process matches: ps exits with 1 then. */
async function ps(args: readonly string[]): Promise<string> {
  const options = { env: { LC_ALL: 'C', TZ: 'UTC' }, maxBuffer: maxOutputBytes };
  return run('/bin/ps', args, options).then(
    (result) => result.stdout,
    () => '',
  );
}

async function listing(args: readonly string[]): Promise<ProcessEntry[]> {
  const lines = (await ps(args)).split('\n');
  return lines.map(parsePsLine).filter((entry) => entry !== null);
}

const line =
  /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)\s+(\w+ +\w+ +\d+ [\d:]+ \d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.*)$/;

/** @param text one line of {@link format}, in the C locale and UTC */
export function parsePsLine(text: string): ProcessEntry | null {
  const match = line.exec(text);
  if (match === null) return null;
  const [, pid, parent, group, foreground, tty = '', started, ...more] = match;
  const [kilobytes, cpuTime = '', state = '', name = ''] = more;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: null,
    terminal: tty.startsWith('?') ? null : `/dev/${tty}`,
    foreground: Number(foreground) > 0 ? Number(foreground) : -1,
    startedAt: Date.parse(`${started} UTC`) / 1000,
    zombie: state.startsWith('Z'),
    stopped: state.startsWith('T'),
    residentBytes: Number(kilobytes) * 1024,
    cpuMs: parseCpuMs(cpuTime),
    name,
  };
}

/** `[[days-]hours:]minutes:seconds`, on macOS with hundredths. */
function parseCpuMs(text: string): number {
  const [, days = '0', clock = ''] = /^(?:(\d+)-)?([\d:.]+)$/.exec(text) ?? [];
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return Math.round((Number(days) * 86_400 + seconds) * 1000);
}
