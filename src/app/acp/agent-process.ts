import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { quoted } from '#base';
import { VtrError } from '#model';

/** Time between SIGTERM and SIGKILL, in ms. */
const endMs = 5_000;
/** The same for processes that the agent left behind, in ms. */
const leftBehindMs = 500;
/** Interval of checks for such processes, in ms. */
const checkEveryMs = 10;

/** The agent, in its own process group, so that its descendants end with it. */
export class AgentProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Its exit status, as in shells. */
  readonly exited: Promise<number>;
  readonly #pid: number;

  private constructor(child: ChildProcess, pid: number) {
    this.stdin = child.stdin as Writable;
    this.stdout = child.stdout as Readable;
    this.#pid = pid;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve(code ?? signalStatus(signal)));
    });
  }

  /**
   * @param env added to the environment of this process
   * @throws VtrError PROGRAM_NOT_FOUND, PROGRAM_NOT_EXECUTABLE, SPAWN_FAILED
   */
  static async start(
    program: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<AgentProcess> {
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
      env: { ...process.env, ...env },
    });
    // Before the first await: the agent may exit at once.
    const agent = new AgentProcess(child, child.pid ?? 0);
    try {
      await once(child, 'spawn');
    } catch (error) {
      throw notStarted(program, error as NodeJS.ErrnoException);
    }
    return agent;
  }

  /** Output read so far, in bytes. */
  get outputBytes(): number {
    return (this.stdout as Socket).bytesRead;
  }

  /** Signals its process group. Returns false if no process is left. */
  signal(name: NodeJS.Signals): boolean {
    try {
      return process.kill(-this.#pid, name);
    } catch {
      return false;
    }
  }

  /**
   * Waits for the agent to exit; sends SIGTERM, then SIGKILL, if it does not.
   *
   * @param waitMs before SIGTERM
   */
  async end(waitMs: number): Promise<void> {
    if (await this.#exitsWithin(waitMs)) return;
    this.signal('SIGTERM');
    if (await this.#exitsWithin(endMs)) return;
    this.signal('SIGKILL');
  }

  /** Ends the processes left in its group after its exit. */
  async endLeftBehind(): Promise<void> {
    if (!this.signal('SIGTERM')) return;
    const giveUpMs = performance.now() + leftBehindMs;
    while (performance.now() < giveUpMs) {
      await setTimeout(checkEveryMs);
      if (!this.#isGroupAlive()) return;
    }
    this.signal('SIGKILL');
  }

  #isGroupAlive(): boolean {
    try {
      return process.kill(-this.#pid, 0);
    } catch {
      return false;
    }
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    const control = new AbortController();
    const late = setTimeout(ms, false, { signal: control.signal }).catch(() => false);
    const inTime = await Promise.race([this.exited.then(() => true), late]);
    control.abort();
    return inTime;
  }
}

/** 128 + n for signal n. */
const signalStatus = (signal: NodeJS.Signals | null): number =>
  128 + (signal === null ? 0 : constants.signals[signal]);

function notStarted(program: string, error: NodeJS.ErrnoException): VtrError {
  const agent = `the agent ${quoted(program)}`;
  const options = { cause: error, details: { program } };
  if (error.code === 'ENOENT') {
    return new VtrError(
      'PROGRAM_NOT_FOUND',
      `${agent} was not found; give a path, or a name in PATH`,
      options,
    );
  }
  if (error.code === 'EACCES') {
    return new VtrError('PROGRAM_NOT_EXECUTABLE', `${agent} is not executable`, options);
  }
  return new VtrError('SPAWN_FAILED', `cannot start ${agent}: ${error.message}`, options);
}
