import { performance } from 'node:perf_hooks';
import { Queue } from '#base';

/** How long calls may run before what else is ready gets its turn, in ms. */
const turnMs = 5;

/**
 * Shares the time of the process among connections: one that sends a thousand calls at once delays the
 * others by one of them. A call that comes alone runs at once.
 */
export class Turns {
  /** Those with waiting calls, each once. */
  readonly #waiting = new Queue<Lane>();
  #isRunning = false;
  #beganMs = 0;
  /** Of this turn. */
  #spentMs = 0;
  #isRenewing = false;

  /** Returns the place of a connection. */
  lane(): Lane {
    return new Lane(this);
  }

  /** Begins a call if it may run now. */
  begins(): boolean {
    if (this.#isRunning || this.#spentMs >= turnMs) return false;
    this.#begin();
    return true;
  }

  /** A lane has its first waiting call. */
  wait(lane: Lane): void {
    this.#waiting.push(lane);
  }

  #begin(): void {
    this.#isRunning = true;
    this.#beganMs = performance.now();
    // When all has run that the call does without waiting for something.
    queueMicrotask(this.#afterMicrotasks);
  }

  readonly #afterMicrotasks = () => process.nextTick(this.#ran);

  readonly #ran = () => {
    this.#isRunning = false;
    this.#spentMs += performance.now() - this.#beganMs;
    if (!this.#isRenewing) {
      this.#isRenewing = true;
      setImmediate(this.#renew);
    }
    if (this.#spentMs < turnMs) this.#runNext();
  };

  readonly #renew = () => {
    this.#isRenewing = false;
    this.#spentMs = 0;
    if (!this.#isRunning) this.#runNext();
  };

  #runNext(): void {
    const lane = this.#waiting.shift();
    if (lane === undefined) return;
    this.#begin();
    if (lane.runNext()) this.#waiting.push(lane);
  }
}

/** The calls of one connection, of which one at a time runs. */
export class Lane {
  readonly #turns: Turns;
  readonly #waiting = new Queue<() => void>();

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** Resolves when a call may run; null if it may now. */
  turn(): Promise<void> | null {
    if (this.#waiting.length === 0 && this.#turns.begins()) return null;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#turns.wait(this);
    });
  }

  /** Lets the next call run. @returns whether more wait */
  runNext(): boolean {
    this.#waiting.shift()?.();
    return this.#waiting.length > 0;
  }
}
