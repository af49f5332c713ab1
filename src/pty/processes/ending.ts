import { VtrError } from '#model';
import { graceMs } from '../port.ts';
import type { ProcessEntry } from './process-table.ts';
import type { SessionProcesses } from './session-processes.ts';

/**
 * Signals that request a program to end. HUP is first, because an interactive shell ignores TERM.
 * CONT, because a stopped program acts on neither. TERM for programs that ignore HUP or use it for
 * something else.
 */
const request = ['SIGHUP', 'SIGCONT', 'SIGTERM'] as const;

/**
 * Repeated while the leader lives: bash 5.2 misses a HUP that arrives between its prompt and its
 * wait for a key (one in five, if sent right after the prompt). TERM is not repeated, because many
 * programs stop their cleanup at a second one.
 */
const reminder = ['SIGHUP', 'SIGCONT'] as const;

/** The time before the first reminder, in ms; doubles each time. */
const firstReminderMs = 50;

/** The time between two listings of the processes left, in ms; doubles each time. */
const firstIntervalMs = 2;
const maxIntervalMs = 100;

/** How long KILL is repeated, in ms. A process blocked on a dead disk, for example, outlives it. */
const killingMs = 10_000;

/** The leader of the session. */
export interface Leader {
  readonly pid: number;
  hasExited(): boolean;
  /** Resolves when `hasExited` becomes true. */
  readonly exited: Promise<unknown>;
}

/** Ends all processes of one session: by request, and with KILL later. */
export class Ending {
  readonly #processes: SessionProcesses;
  readonly #leader: Leader;
  readonly #requested = new Set<string>();
  #deadlineMs: number;
  #wake = (): void => {};

  /** @param waitMs how long processes get to end before they are killed */
  constructor(processes: SessionProcesses, leader: Leader, waitMs = graceMs) {
    this.#processes = processes;
    this.#leader = leader;
    this.#deadlineMs = performance.now() + waitMs;
  }

  /** Ends the grace now. */
  force(): void {
    this.#deadlineMs = performance.now();
    this.#wake();
  }

  /**
   * Resolves when the leader has been reaped and no other process of the session lives.
   *
   * @throws VtrError PTY_ERROR
   */
  async run(): Promise<void> {
    await this.#endLeader();
    let intervalMs = firstIntervalMs;
    while (!this.#overdue) {
      const left = await this.#listLeft();
      if (left?.length === 0) return;
      for (const entry of left ?? []) await this.#request(entry);
      await this.#sleep(intervalMs);
      intervalMs = Math.min(intervalMs * 2, maxIntervalMs);
    }
    await this.#killAll();
  }

  get #overdue(): boolean {
    return performance.now() >= this.#deadlineMs;
  }

  /** Returns when the leader has exited or the grace is over. */
  async #endLeader(): Promise<void> {
    let signals: readonly NodeJS.Signals[] = request;
    let intervalMs = firstReminderMs;
    while (!this.#overdue && !this.#leader.hasExited()) {
      await this.#signalGroups(signals);
      await this.#sleep(Math.min(intervalMs, this.#deadlineMs - performance.now()));
      signals = reminder;
      intervalMs *= 2;
    }
  }

  /** Signals the foreground group and the leader's group. */
  async #signalGroups(signals: readonly NodeJS.Signals[]): Promise<void> {
    const foreground = await this.#processes.foregroundGroup().catch(() => null);
    for (const signal of signals) {
      if (foreground !== null && foreground !== this.#leader.pid) {
        await tolerant(this.#processes.signalForegroundGroup(signal));
      }
      await tolerant(this.#processes.signalLeaderGroup(signal));
    }
  }

  /** Requests each process to end once, because a second TERM may interrupt its cleanup. */
  async #request(entry: ProcessEntry): Promise<void> {
    const identity = `${entry.pid}:${entry.startedAt}`;
    if (this.#requested.has(identity)) return;
    this.#requested.add(identity);
    for (const signal of request) await tolerant(this.#processes.signal(entry, signal));
  }

  async #killAll(): Promise<void> {
    const giveUpMs = performance.now() + killingMs;
    let intervalMs = firstIntervalMs;
    for (;;) {
      const left = await this.#listLeft();
      if (left?.length === 0 && this.#leader.hasExited()) return;
      if (performance.now() >= giveUpMs) throw leftBehind(this.#leader.pid, left ?? []);
      for (const entry of left ?? []) await tolerant(this.#processes.signal(entry, 'SIGKILL'));
      await this.#sleep(intervalMs);
      intervalMs = Math.min(intervalMs * 2, maxIntervalMs);
    }
  }

  /** Returns null if the system cannot list them now, for want of a descriptor: it is tried again. */
  async #listLeft(): Promise<readonly ProcessEntry[] | null> {
    return this.#processes.list().catch(() => null);
  }

  /** Ends early when the leader exits or the ending is forced. */
  #sleep(ms: number): Promise<void> {
    const awake = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    if (!this.#leader.hasExited()) void this.#leader.exited.then(this.#wake);
    return awake;
  }
}

/**
 * Ignores a refusal: a process of another user is named by {@link leftBehind} if it is still there.
 */
async function tolerant(signalling: Promise<boolean>): Promise<void> {
  await signalling.catch(() => false);
}

function leftBehind(leaderPid: number, left: readonly ProcessEntry[]): VtrError {
  const names = left.map((each) => `${each.pid} (${each.name})`);
  const what = names.length > 0 ? names.join(', ') : `${leaderPid}, whose exit was not reported`;
  return new VtrError(
    'PTY_ERROR',
    `could not end all processes of the session; still running: ${what}; ` +
      'they may belong to another user or wait for a device',
    { details: { pids: left.map((each) => String(each.pid)) } },
  );
}
