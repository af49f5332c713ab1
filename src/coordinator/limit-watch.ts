import type { Clock, Disposable } from '#base';
import type { EndedBy, SessionLimits } from '#model';
import type { Session } from '#session';
import { CpuBudget } from './cpu-budget.ts';
import { inSession } from './in-session.ts';

export interface LimitWatchOptions {
  readonly clock: Clock;
  /** Of this machine. */
  readonly processors: number;
  /** Told of sessions that could not be ended. */
  readonly onFault: (error: unknown) => void;
}

/** Between two looks where memory is limited: with much of it free, and with little. */
const calmLookMs = 1_000;
const closeLookMs = 200;

/**
 * Keeps a session under its limits, until none of its processes is left. With too much memory it is
 * killed at once, as the kernel does: in a grace it would take more. With too much time on processors
 * it is made to wait.
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
    this.#after(0, () => this.#look());
  }

  dispose(): void {
    this.#disposed = true;
    this.#next?.dispose();
  }

  async #look(): Promise<void> {
    const { processes, exitStatus } = this.#session;
    const usage = await processes.usage();
    if (usage.count === 0 && exitStatus !== null) return;
    if (await this.#takesTooMuchMemory(usage.residentBytes)) return;
    const pauseMs = this.#updateBudget(usage.cpuMs);
    if (pauseMs === 0) return this.#after(this.#runMs(usage.residentBytes), () => this.#look());
    await processes.suspend();
    this.#after(pauseMs, async () => {
      await processes.continue();
      this.#after(this.#runMs(usage.residentBytes), () => this.#look());
    });
  }

  /** @returns whether the session has been told to end */
  async #takesTooMuchMemory(residentBytes: number): Promise<boolean> {
    const { memoryBytes: limit = Number.POSITIVE_INFINITY } = this.#limits;
    if (residentBytes <= limit) return false;
    // What its processes share was counted for each of them.
    const measured = (await this.#session.processes.pssBytes()) ?? residentBytes;
    if (measured <= limit) return false;
    await this.#end({ reason: 'memory', limit, measured });
    return true;
  }

  /** @returns how long the session has to wait, in ms */
  #updateBudget(cpuMs: number): number {
    const { cpuPercent } = this.#limits;
    if (cpuPercent === undefined) return 0;
    const { clock, processors } = this.#options;
    this.#budget ??= new CpuBudget(cpuPercent, processors, clock.nowMs(), cpuMs);
    this.#budget.look(clock.nowMs(), cpuMs);
    return this.#budget.pauseMs;
  }

  #runMs(residentBytes: number): number {
    const { memoryBytes = Number.POSITIVE_INFINITY } = this.#limits;
    const lookMs = residentBytes > memoryBytes / 2 ? closeLookMs : calmLookMs;
    return Math.min(lookMs, this.#budget?.runMs ?? lookMs);
  }

  #end(endedBy: EndedBy): Promise<void> {
    const { name } = this.#session;
    return inSession(name, () => this.#session.end({ force: true }, endedBy)).then(
      () => {},
      this.#options.onFault,
    );
  }

  #after(delayMs: number, step: () => Promise<void>): void {
    if (this.#disposed) return;
    this.#next = this.#options.clock.schedule(delayMs, () => {
      step().catch((error) => {
        this.#options.onFault(error);
        this.#after(calmLookMs, () => this.#look());
      });
    });
  }
}
