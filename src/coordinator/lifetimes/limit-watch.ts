import type { Clock, Disposable } from '#base';
import type { EndedBy, SessionLimits } from '#model';
import type { Session } from '#session';
import { inSession } from '../registry.ts';
import type { OnEnd } from './lifetimes.ts';

export interface LimitWatchOptions {
  readonly clock: Clock;
  /** The number of processors of this machine. */
  readonly processors: number;
  readonly onEnd?: OnEnd;
  /** Called if the session could not be ended. */
  readonly onFault: (error: unknown) => void;
}

/** Time between two checks; the short one if memory use is over half of the limit. */
const checkMs = 1_000;
const closeCheckMs = 200;

/**
 * Enforces the limits of a session until none of its processes is left. Above the memory limit it is
 * killed at once, as the kernel does: in a grace period it would use more. Above the CPU limit it is
 * suspended for a time.
 */
export class LimitWatch implements Disposable {
  readonly #session: Session;
  readonly #limits: SessionLimits;
  readonly #options: LimitWatchOptions;
  #budget: CpuBudget | null = null;
  #next: Disposable | null = null;
  #disposed = false;

  constructor(session: Session, limits: SessionLimits, options: LimitWatchOptions) {
    this.#session = session;
    this.#limits = limits;
    this.#options = options;
    this.#after(0, () => this.#check());
  }

  dispose(): void {
    this.#disposed = true;
    this.#next?.dispose();
  }

  async #check(): Promise<void> {
    const { processes, exitStatus } = this.#session;
    const usage = await processes.usage();
    if (usage.count === 0 && exitStatus !== null) return;
    if (await this.#isOverMemory(usage.residentBytes)) return;
    const pauseMs = this.#updateBudget(usage.cpuMs);
    if (pauseMs === 0) return this.#after(this.#runMs(usage.residentBytes), () => this.#check());
    await processes.suspend();
    this.#after(pauseMs, async () => {
      await processes.continue();
      this.#after(this.#runMs(usage.residentBytes), () => this.#check());
    });
  }

  /** Ends the session if it is over its memory limit. @returns whether it was */
  async #isOverMemory(residentBytes: number): Promise<boolean> {
    const { memoryBytes: limit = Number.POSITIVE_INFINITY } = this.#limits;
    if (residentBytes <= limit) return false;
    // Shared memory is included in the resident memory of each process.
    const measured = (await this.#session.processes.pssBytes()) ?? residentBytes;
    if (measured <= limit) return false;
    await this.#end({ reason: 'memory', limit, measured });
    return true;
  }

  /** @returns how long to suspend the session, in ms */
  #updateBudget(cpuMs: number): number {
    const { cpuPercent } = this.#limits;
    if (cpuPercent === undefined) return 0;
    const { clock, processors } = this.#options;
    this.#budget ??= new CpuBudget(cpuPercent, processors, clock.nowMs(), cpuMs);
    this.#budget.update(clock.nowMs(), cpuMs);
    return this.#budget.pauseMs;
  }

  #runMs(residentBytes: number): number {
    const { memoryBytes = Number.POSITIVE_INFINITY } = this.#limits;
    const nextMs = residentBytes > memoryBytes / 2 ? closeCheckMs : checkMs;
    return Math.min(nextMs, this.#budget?.runMs ?? nextMs);
  }

  #end(endedBy: EndedBy): Promise<void> {
    this.#options.onEnd?.(this.#session, endedBy);
    return inSession(this.#session, () => this.#session.end({ force: true }, endedBy)).then(
      () => {},
      this.#options.onFault,
    );
  }

  #after(delayMs: number, step: () => Promise<void>): void {
    if (this.#disposed) return;
    this.#next = this.#options.clock.schedule(delayMs, () => {
      step().catch((error) => {
        this.#options.onFault(error);
        this.#after(checkMs, () => this.#check());
      });
    });
  }
}

/** The watches of all sessions with limits. */
export class LimitWatches {
  readonly #options: LimitWatchOptions;
  readonly #watches = new Map<Session, LimitWatch>();

  constructor(options: LimitWatchOptions) {
    this.#options = options;
  }

  begin(session: Session, limits: SessionLimits): void {
    this.#watches.set(session, new LimitWatch(session, limits, this.#options));
  }

  end(session: Session): void {
    this.#watches.get(session)?.dispose();
    this.#watches.delete(session);
  }

  close(): void {
    for (const watch of this.#watches.values()) watch.dispose();
  }
}

/**
 * Unused CPU time is saved, up to the allowance of this many ms: it permits a burst, such as a
 * start.
 */
const savedMs = 1_000;
/** CPU time over the budget is owed, up to the allowance of this many ms. The rest is ignored. */
const owedMs = 500;

/** Bounds of the time between two checks. */
const minCheckMs = 25;
const maxCheckMs = 1_000;

/**
 * The CPU time that a session may still use. It grows at a constant rate, and shrinks by the time
 * that the session uses. All times in ms.
 */
export class CpuBudget {
  /** CPU time allowed per ms. */
  readonly #rate: number;
  readonly #processors: number;
  #leftMs: number;
  #atMs: number;
  #usedMs: number;

  /** @param percent of all processors */
  constructor(percent: number, processors: number, nowMs: number, usedMs: number) {
    this.#rate = (processors * percent) / 100;
    this.#processors = processors;
    this.#leftMs = this.#rate * savedMs;
    this.#atMs = nowMs;
    this.#usedMs = usedMs;
  }

  /**
   * Updates the budget.
   *
   * @param usedMs CPU time since the start of the program
   */
  update(nowMs: number, usedMs: number): void {
    const passedMs = nowMs - this.#atMs;
    // It may decrease: some systems do not report processes that have ended.
    const newMs = Math.max(0, usedMs - this.#usedMs);
    const leftMs = this.#leftMs + passedMs * this.#rate - newMs;
    this.#leftMs = Math.min(this.#rate * savedMs, Math.max(-this.#rate * owedMs, leftMs));
    this.#atMs = nowMs;
    this.#usedMs = usedMs;
  }

  /** How long to suspend the session; 0 if it may run. */
  get pauseMs(): number {
    return this.#leftMs < 0 ? -this.#leftMs / this.#rate : 0;
  }

  /** How long it may run until the next check. */
  get runMs(): number {
    if (this.#leftMs >= this.#rate * savedMs) return maxCheckMs;
    return Math.min(maxCheckMs, Math.max(minCheckMs, this.#leftMs / this.#processors));
  }
}
