import { readFileSync } from 'node:fs';
import { ignored } from '#base';
import { VtrError } from '#model';
import type { Pty } from './port.ts';
import { parseStat } from './processes/proc-process-table.ts';
import type { ProcessEntry, ProcessTable } from './processes/process-table.ts';

/** A program that is started outside of any session. */
export interface DetachedCommand {
  /** A path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Path of a file to which stderr is appended; default none. */
  readonly log?: string;
}

export interface DetachedProgram {
  /** Resolves with its process id. @throws VtrError SPAWN_FAILED, SYSTEM_LIMIT */
  readonly started: Promise<number>;
  /** True until it has started, too. */
  readonly isRunning: boolean;
  /** Kills it, also before it has started. Returns whether it ran. */
  end(): Promise<boolean>;
}

/** The child that starts the program, and exits. */
export interface Starter {
  readonly pty: Pick<Pty, 'pid' | 'readOutput' | 'exit'>;
  readonly forget: () => void;
}

/** Starts a program that is not a child of this process. */
export class DetachedStart implements DetachedProgram {
  readonly started: Promise<number>;
  readonly #table: ProcessTable;
  #starterPid: number | null = null;
  #pid: number | null = null;
  #program: ProcessEntry | null = null;
  #isRefused = false;
  #isEnded = false;

  /** @param path of the program, for messages */
  constructor(path: string, table: ProcessTable, startStarter: () => Promise<Starter>) {
    this.#table = table;
    this.started = this.#run(path, startStarter);
    this.started.catch(() => {
      this.#isRefused = true;
    });
  }

  get isRunning(): boolean {
    return this.#pid === null ? !this.#isRefused : isRunning(this.#pid);
  }

  async end(): Promise<boolean> {
    this.#isEnded = true;
    const isStarterKilled = this.#starterPid !== null && kill(this.#starterPid);
    await ignored(this.started, 'a program that did not start need not be ended');
    const program = this.#program;
    if (program === null) return isStarterKilled;
    // The starter may have started it before the signal arrived.
    const now = await this.#table.find(program.pid);
    if (now === null || now.zombie || now.startedAt !== program.startedAt) return false;
    return kill(now.pid);
  }

  async #run(path: string, startStarter: () => Promise<Starter>): Promise<number> {
    const { pty, forget } = await startStarter();
    if (this.#isEnded) kill(pty.pid);
    this.#starterPid = pty.pid;
    let text = '';
    pty.readOutput(0, ({ bytes }) => {
      text += Buffer.from(bytes).toString('utf8');
    });
    const { code } = await pty.exit;
    this.#starterPid = null;
    // An ending would look for descendants.
    forget();
    // Node may say more before it, such as that a debugger can connect.
    const pid = Number(/\d+(?=\s*$)/.exec(text)?.[0]);
    if (code !== 0 || !Number.isSafeInteger(pid)) {
      throw notStarted(path, this.#isEnded ? tooLate : text.trim());
    }
    this.#pid = pid;
    this.#program = await this.#table.find(this.#pid);
    if (this.#isEnded) throw notStarted(path, tooLate);
    return this.#pid;
  }
}

const tooLate = 'its start took too long';

const notStarted = (path: string, reason: string): VtrError =>
  new VtrError('SPAWN_FAILED', `${path} could not be started: ${reason}`);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie, where process 1 does not wait for others.
    return (
      process.platform !== 'linux' ||
      parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.zombie !== true
    );
  } catch {
    return false;
  }
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
