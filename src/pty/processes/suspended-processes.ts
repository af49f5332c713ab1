import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessEntry } from './process-table.ts';
import type { SessionProcesses } from './session-processes.ts';

/** How often a process that was told to stop is asked whether it has, 1 ms apart and more. */
const maxTries = 50;

/** New processes may come while the others are stopped; a program that forks faster runs on. */
const maxRounds = 4;

/**
 * All processes of a session, stopped for a moment. Parents are stopped before their children and go
 * on after them: a shell never sees that a job of it is stopped, and does not take it for suspended.
 * What is stopped already is left alone, and so stays stopped.
 */
export class HeldProcesses {
  readonly #processes: SessionProcesses;
  #held: ProcessEntry[] = [];
  #turn: Promise<void> = Promise.resolve();
  #wanted = false;
  #closed = false;

  constructor(processes: SessionProcesses) {
    this.#processes = processes;
  }

  /** Whether anything is stopped, or about to be. */
  get active(): boolean {
    return this.#wanted || this.#held.length > 0;
  }

  /** @param seen a listing of a moment ago */
  hold(seen: readonly ProcessEntry[]): Promise<void> {
    if (this.#closed) return this.#turn;
    this.#wanted = true;
    return this.#next(() => this.#stop(seen));
  }

  release(): Promise<void> {
    this.#wanted = false;
    return this.#next(() => this.#goOn());
  }

  /** Nothing is held from now on. */
  close(): Promise<void> {
    this.#closed = true;
    return this.release();
  }

  #next(step: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(step);
    return this.#turn;
  }

  async #stop(seen: readonly ProcessEntry[]): Promise<void> {
    let listed = seen;
    for (let round = 0; round < maxRounds && this.#wanted; round++) {
      const before = this.#held.length;
      for (const generation of generations(listed)) {
        if (!(await this.#stopAll(generation))) return;
      }
      if (round > 0 && this.#held.length === before) return;
      listed = await this.#processes.glance();
    }
  }

  /** @returns whether all that was told to stop has; else nobody below may be stopped */
  async #stopAll(entries: readonly ProcessEntry[]): Promise<boolean> {
    const told: ProcessEntry[] = [];
    for (const each of entries) {
      if (each.stopped || this.#has(each.pid)) continue;
      // What may not be signalled (another user's) goes on.
      if (await this.#processes.stop(each).catch(() => false)) told.push(each);
    }
    this.#held.push(...told);
    return this.#haveStopped(told);
  }

  /**
   * A process that waits for its children looks at them once more before it stops, and would see one
   * that has stopped already.
   */
  async #haveStopped(told: readonly ProcessEntry[]): Promise<boolean> {
    let running = told;
    for (let tries = 0; tries < maxTries; tries++) {
      const are = await Promise.all(running.map((each) => this.#processes.isRunning(each)));
      running = running.filter((_, index) => are[index]);
      if (running.length === 0) return true;
      await delay(1);
    }
    return false;
  }

  async #goOn(): Promise<void> {
    for (const each of this.#held.toReversed()) {
      await this.#processes.signal(each, 'SIGCONT').catch(() => false);
    }
    this.#held = [];
  }

  #has(pid: number): boolean {
    return this.#held.some((each) => each.pid === pid);
  }
}

/** Those whose parent is not among them, then their children, and so on. */
export function generations(entries: readonly ProcessEntry[]): ProcessEntry[][] {
  const pids = new Set(entries.map(({ pid }) => pid));
  const all: ProcessEntry[][] = [];
  let next = entries.filter(({ parent }) => !pids.has(parent));
  while (next.length > 0) {
    all.push(next);
    const above = new Set(next.map(({ pid }) => pid));
    next = entries.filter(({ parent }) => above.has(parent));
  }
  return all;
}
