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
