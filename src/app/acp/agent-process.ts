import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { VtrError } from '#model';

/** For a program to end by itself once it was told, in ms. */
const endMs = 5_000;
/** For what an agent has left behind, in ms. */
const leftBehindMs = 500;
/** Between two looks at what is left, in ms. */
const lookMs = 10;

/** The agent, at the head of a process group of its own, so that it ends with what it started. */
export class AgentProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Its exit status, as shells have it. */
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

  /** @throws VtrError PROGRAM_NOT_FOUND, PROGRAM_NOT_EXECUTABLE, SPAWN_FAILED */
  static async start(program: string, args: readonly string[]): Promise<AgentProcess> {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    // Before anything is waited for: it may end at once.
    const agent = new AgentProcess(child, child.pid ?? 0);
    try {
      await once(child, 'spawn');
    } catch (error) {
      throw notStarted(program, error as NodeJS.ErrnoException);
    }
    return agent;
  }

  /** How much of its output was read, in bytes. */
  get saidBytes(): number {
    return (this.stdout as Socket).bytesRead;
  }

  /** To it and all that is in its group. */
  signal(name: NodeJS.Signals): boolean {
    try {
      return process.kill(-this.#pid, name);
    } catch {
      return false;
    }
  }

  /**
   * Ends it where it does not end by itself: TERM after a while, KILL after another.
   *
   * @param waitMs for it to end by itself
   */
  async end(waitMs: number): Promise<void> {
    if (await this.#exitsWithin(waitMs)) return;
    this.signal('SIGTERM');
    if (await this.#exitsWithin(endMs)) return;
    this.signal('SIGKILL');
  }

  /** When it has exited: ends what it left in its group. */
  async endLeftBehind(): Promise<void> {
    if (!this.signal('SIGTERM')) return;
    const giveUpMs = performance.now() + leftBehindMs;
    while (performance.now() < giveUpMs) {
      await setTimeout(lookMs);
      if (!this.#isAnyLeft()) return;
    }
    this.signal('SIGKILL');
  }

  #isAnyLeft(): boolean {
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
  const agent = `the agent ${JSON.stringify(program)}`;
  const options = { cause: error, details: { program } };
  if (error.code === 'ENOENT') {
    return new VtrError(
      'PROGRAM_NOT_FOUND',
      `${agent} was not found; give a path, or a name that is in PATH`,
      options,
    );
  }
  if (error.code === 'EACCES') {
    return new VtrError('PROGRAM_NOT_EXECUTABLE', `${agent} may not be executed`, options);
  }
  return new VtrError('SPAWN_FAILED', `${agent} was not started: ${error.message}`, options);
}
