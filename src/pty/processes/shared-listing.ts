import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sessionIdVariable } from '#model';
import { ProcProcessTable } from './proc-process-table.ts';
import type {
  ProcessEntry,
  ProcessTable,
  SessionIdRead,
  TerminalRead,
  TerminalStop,
} from './process-table.ts';

/** Returns the process table of this system, with shared listings. */
export function systemProcessTable(): ProcessTable {
  const isLinux = process.platform === 'linux';
  return new SharedListing(isLinux ? new ProcProcessTable() : new PsProcessTable());
}

/**
 * Shares one listing among concurrent callers. Many sessions may end at once, and a listing costs
 * milliseconds. A call during a listing gets the next one: the running one may miss changes since
 * it began.
 */
export class SharedListing implements ProcessTable {
  readonly #table: ProcessTable;
  readonly #listings = new SharedRuns<readonly ProcessEntry[]>();
  readonly #surveys = new SharedRuns<readonly ProcessEntry[]>();
  /** The earliest of the callers that wait for the next survey. */
  #since = Number.POSITIVE_INFINITY;
  readonly #sessionIds = new WeakMap<ProcessEntry, SessionIdRead>();
  readonly #marks = new WeakMap<ProcessEntry, bigint | null>();

  constructor(table: ProcessTable) {
    this.#table = table;
  }

  now(): number {
    return this.#table.now();
  }

  find(pid: number): Promise<ProcessEntry | null> {
    return this.#table.find(pid);
  }

  list(): Promise<readonly ProcessEntry[]> {
    return this.#listings.run(() => this.#table.list());
  }

  survey(since: number): Promise<readonly ProcessEntry[]> {
    this.#since = Math.min(this.#since, since);
    return this.#surveys.run(() => {
      const earliest = this.#since;
      this.#since = Number.POSITIVE_INFINITY;
      return this.#table.survey(earliest);
    });
  }

  sessionId(entry: ProcessEntry): SessionIdRead {
    const sessionId = this.#sessionIds.get(entry);
    if (sessionId !== undefined) return sessionId;
    const id = this.#table.sessionId(entry);
    this.#sessionIds.set(entry, id);
    if (id instanceof Promise) void id.then((read) => this.#sessionIds.set(entry, read));
    return id;
  }

  hasVariable(pid: number, variables: readonly string[]): Promise<boolean> {
    return this.#table.hasVariable(pid, variables);
  }

  mark(entry: ProcessEntry): bigint | null {
    const cachedMark = this.#marks.get(entry);
    if (cachedMark !== undefined) return cachedMark;
    const mark = this.#table.mark(entry);
    this.#marks.set(entry, mark);
    return mark;
  }

  pssBytes(pid: number): Promise<number | null> {
    return this.#table.pssBytes(pid);
  }

  readsTerminal(pid: number, terminal: string): Promise<TerminalRead> {
    return this.#table.readsTerminal(pid, terminal);
  }

  runTrace(pid: number): Promise<string | null> {
    return this.#table.runTrace(pid);
  }

  firstRunTrace(pid: number): string | null {
    return this.#table.firstRunTrace(pid);
  }

  isWorking(pid: number, terminal: string): Promise<boolean | null> {
    return this.#table.isWorking(pid, terminal);
  }

  pendingStops(pid: number): readonly TerminalStop[] {
    return this.#table.pendingStops(pid);
  }

  directory(pid: number): Promise<string | null> {
    return this.#table.directory(pid);
  }
}

/** Shares one run among concurrent callers. A call during a run gets the next one. */
class SharedRuns<T> {
  #running: Promise<unknown> | null = null;
  #next: Promise<T> | null = null;

  /** @param begin the same for all callers */
  run(begin: () => Promise<T>): Promise<T> {
    if (this.#running === null) return this.#start(begin);
    this.#next ??= this.#running.then(() => {
      this.#next = null;
      return this.#start(begin);
    });
    return this.#next;
  }

  #start(begin: () => Promise<T>): Promise<T> {
    const running = begin();
    const over = () => {
      this.#running = null;
    };
    this.#running = running.then(over, over);
    return running;
  }
}

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

  firstRunTrace(): null {
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
