/** What may be saved up, as what is allowed in so many ms: for a burst, e.g. the start of a program. */
const savedMs = 1_000;
/** What may be owed: what was taken before anybody looked is forgiven beyond that. */
const owedMs = 500;

/** Between two looks: while it matters, and else. */
const minLookMs = 25;
const maxLookMs = 1_000;

/**
 * The time on processors that a session may still take: some is added with every ms that passes, and
 * what the session takes is taken away. All times in ms.
 */
export class CpuBudget {
  /** Time on processors that is allowed in each ms. */
  readonly #rate: number;
  readonly #processors: number;
  #leftMs: number;
  #atMs: number;
  #takenMs: number;

  /** @param percent of all processors */
  constructor(percent: number, processors: number, nowMs: number, takenMs: number) {
    this.#rate = (processors * percent) / 100;
    this.#processors = processors;
    this.#leftMs = this.#rate * savedMs;
    this.#atMs = nowMs;
    this.#takenMs = takenMs;
  }

  /** @param takenMs since the start of the program */
  look(nowMs: number, takenMs: number): void {
    const passedMs = nowMs - this.#atMs;
    // It falls where the system does not tell of processes that have ended.
    const newMs = Math.max(0, takenMs - this.#takenMs);
    const leftMs = this.#leftMs + passedMs * this.#rate - newMs;
    this.#leftMs = Math.min(this.#rate * savedMs, Math.max(-this.#rate * owedMs, leftMs));
    this.#atMs = nowMs;
    this.#takenMs = takenMs;
  }

  /** How long the session has to wait now; 0 when it may run. */
  get pauseMs(): number {
    return this.#leftMs < 0 ? -this.#leftMs / this.#rate : 0;
  }

  /** How long it may run until somebody has to look again. */
  get runMs(): number {
    if (this.#leftMs >= this.#rate * savedMs) return maxLookMs;
    return Math.min(maxLookMs, Math.max(minLookMs, this.#leftMs / this.#processors));
  }
}
