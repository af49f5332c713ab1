import { VtrError } from '#model';
import { defaultGraceMs, type EndOptions } from '../port.ts';
import type { ProcessEntry } from './process-table.ts';
import type { SessionProcesses } from './session-processes.ts';

/**
 * Asks a program to end. HUP first: an interactive shell ignores TERM. CONT, because a stopped
 * program acts on neither. TERM for what ignores or misreads HUP.
 */
const request = ['SIGHUP', 'SIGCONT', 'SIGTERM'] as const;

/**
 * Repeated while the leader lives: bash 5.2 misses a HUP that comes between its prompt and its wait
 * for a key (one in five, when asked right after the prompt). TERM is not repeated, because a second
 * one tells many programs to stop cleaning up.
 */
const reminder = ['SIGHUP', 'SIGCONT'] as const;

/** Before the first reminder; doubles. */
const firstReminderMs = 50;

/** Between two looks at what is left; doubles. */
const firstIntervalMs = 2;
const maxIntervalMs = 100;

/** How long KILL is repeated before what is left is given up, e.g. what waits for a dead disk. */
const killingMs = 10_000;

/** Longer ones fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** The leader of the session, as its ending sees it. */
export interface Leader {
  readonly pid: number;
  hasExited(): boolean;
  /** Resolves once `hasExited`. */
  readonly exited: Promise<unknown>;
}

/** Ends everything of one session: by request, then, after a grace, by KILL. */
export class Ending {
  readonly #processes: SessionProcesses;
  readonly #leader: Leader;
  readonly #asked = new Set<string>();
  #deadlineMs = Number.POSITIVE_INFINITY;
  #wake = (): void => {};

  constructor(processes: SessionProcesses, leader: Leader) {
    this.#processes = processes;
    this.#leader = leader;
  }

  /** Shortens the grace; never lengthens it. */
  hasten(options: EndOptions): void {
    const graceMs = options.force ? 0 : (options.graceMs ?? defaultGraceMs);
    this.#deadlineMs = Math.min(this.#deadlineMs, performance.now() + graceMs);
    this.#wake();
  }

  /**
   * Resolves when the leader has been reaped and nothing else of the session lives.
   *
   * @throws VtrError PTY_ERROR
   */
  async run(): Promise<void> {
    await this.#endLeader();
    let intervalMs = firstIntervalMs;
    while (!this.#overdue) {
      const left = await this.#processes.list();
      if (left.length === 0) return;
      for (const entry of left) await this.#ask(entry);
      await this.#sleep(intervalMs);
      intervalMs = Math.min(intervalMs * 2, maxIntervalMs);
    }
    await this.#killAll();
  }

  get #overdue(): boolean {
    return performance.now() >= this.#deadlineMs;
  }

  /** Until it has exited or the grace is over. */
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

  /** The group in the foreground, and the leader's. */
  async #signalGroups(signals: readonly NodeJS.Signals[]): Promise<void> {
    const foreground = await this.#processes.foregroundGroup();
    for (const signal of signals) {
      if (foreground !== null && foreground !== this.#leader.pid) {
        await tolerant(this.#processes.signalForegroundGroup(signal));
      }
      await tolerant(this.#processes.signalLeaderGroup(signal));
    }
  }

  /** Once each: a program that cleans up must not be told again and again. */
  async #ask(entry: ProcessEntry): Promise<void> {
    const identity = `${entry.pid}:${entry.startedAt}`;
    if (this.#asked.has(identity)) return;
    this.#asked.add(identity);
    for (const signal of request) await tolerant(this.#processes.signal(entry, signal));
  }

  async #killAll(): Promise<void> {
    const giveUpMs = performance.now() + killingMs;
    let intervalMs = firstIntervalMs;
    for (;;) {
      const left = await this.#processes.list();
      if (left.length === 0 && this.#leader.hasExited()) return;
      if (performance.now() >= giveUpMs) throw leftBehind(this.#leader.pid, left);
      for (const entry of left) await tolerant(this.#processes.signal(entry, 'SIGKILL'));
      await this.#sleep(intervalMs);
      intervalMs = Math.min(intervalMs * 2, maxIntervalMs);
    }
  }

  /** Sleeps shorter when the leader exits or the grace is cut. */
  #sleep(ms: number): Promise<void> {
    const awake = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, maxTimerMs));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    if (!this.#leader.hasExited()) void this.#leader.exited.then(this.#wake);
    return awake;
  }
}

/** What may not be signalled (another user's) is named in the end, when it is still there. */
async function tolerant(signalling: Promise<boolean>): Promise<void> {
  await signalling.catch(() => false);
}

function leftBehind(leaderPid: number, left: readonly ProcessEntry[]): VtrError {
  const names = left.map((each) => `${each.pid} (${each.name})`);
  const what = names.length > 0 ? names.join(', ') : `${leaderPid}, whose exit was not reported`;
  return new VtrError(
    'PTY_ERROR',
    `could not end all processes of the session; still there: ${what}. ` +
      'They may belong to another user or wait for a device',
    { details: { pids: left.map((each) => String(each.pid)) } },
  );
}
