import { setTimeout as delay } from 'node:timers/promises';
import { ignored } from '#base';
import type { ProcessEntry } from './process-table.ts';
import type { SessionProcesses } from './session-processes.ts';

/** How often a process is checked for having stopped after SIGSTOP; at least 1 ms apart. */
const maxTries = 50;

/** Processes may start while others are being stopped. A program that forks faster runs on. */
const maxRounds = 4;

/**
 * Suspends all processes of a session for a while. Parents are suspended before their children and
 * continued after them, so that a shell does not report its job as stopped. Processes that are
 * stopped already are left alone, and so stay stopped.
 */
export class SuspendedProcesses {
  readonly #processes: SessionProcesses;
  #suspended: ProcessEntry[] = [];
  #lastStep: Promise<void> = Promise.resolve();
  #isWanted = false;
  #closed = false;

  constructor(processes: SessionProcesses) {
    this.#processes = processes;
  }

  /** Whether any process is suspended, or about to be. */
  get active(): boolean {
    return this.#isWanted || this.#suspended.length > 0;
  }

  /** @param listed a recent listing */
  suspend(listed: readonly ProcessEntry[]): Promise<void> {
    if (this.#closed) return this.#lastStep;
    this.#isWanted = true;
    return this.#enqueue(() => this.#stop(listed));
  }

  continue(): Promise<void> {
    this.#isWanted = false;
    return this.#enqueue(() => this.#continueAll());
  }

  /** Continues all processes; `suspend` has no effect from now on. */
  close(): Promise<void> {
    this.#closed = true;
    return this.continue();
  }

  #enqueue(step: () => Promise<void>): Promise<void> {
    this.#lastStep = this.#lastStep.then(step);
    return this.#lastStep;
  }

  async #stop(recent: readonly ProcessEntry[]): Promise<void> {
    let listed = recent;
    for (let round = 0; round < maxRounds && this.#isWanted; round++) {
      const before = this.#suspended.length;
      for (const generation of generations(listed)) {
        if (!(await this.#stopAll(generation))) return;
      }
      if (round > 0 && this.#suspended.length === before) return;
      listed = await this.#processes.glance();
    }
  }

  /** @returns whether all have stopped; if not, their children must not be stopped */
  async #stopAll(entries: readonly ProcessEntry[]): Promise<boolean> {
    const signalled: ProcessEntry[] = [];
    for (const each of entries) {
      if (each.stopped || this.#has(each.pid)) continue;
      // A process that may not be signalled (another user's) runs on.
      if (await this.#processes.stop(each).catch(() => false)) signalled.push(each);
    }
    this.#suspended.push(...signalled);
    return this.#haveStopped(signalled);
  }

  /**
   * A process in wait(2) checks its children once more before it stops, and would notice one that
   * has stopped before it.
   */
  async #haveStopped(signalled: readonly ProcessEntry[]): Promise<boolean> {
    let running = signalled;
    for (let tries = 0; tries < maxTries; tries++) {
      const are = await Promise.all(running.map((each) => this.#processes.isRunning(each)));
      running = running.filter((_, index) => are[index]);
      if (running.length === 0) return true;
      await delay(1);
    }
    return false;
  }

  async #continueAll(): Promise<void> {
    for (const each of this.#suspended.toReversed()) {
      await ignored(this.#processes.continue(each), 'the process may have ended');
    }
    this.#suspended = [];
  }

  #has(pid: number): boolean {
    return this.#suspended.some((each) => each.pid === pid);
  }
}

/** Groups processes: first those whose parent is not listed, then their children, and so on. */
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
