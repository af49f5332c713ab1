import { performance } from 'node:perf_hooks';
import { Queue } from '#base';
import { flow } from '#model';

const { turnMs } = flow.calls;

/**
 * Shares the time of the process among connections: one that sends a thousand calls at once delays the
 * others by one of them. A call that comes alone runs at once.
 */
export class Turns {
  /** Those with waiting calls, each once. */
  readonly #waiting = new Queue<Lane>();
  /** Whose call runs. */
  #running: Lane | null = null;
  #beganMs = 0;
  /** The time spent in this turn. */
  #spentMs = 0;
  #isRenewing = false;

  /** Returns the place of a connection. */
  lane(): Lane {
    return new Lane(this);
  }

  /** Whether a call of a lane runs. */
  runs(lane: Lane): boolean {
    return this.#running === lane;
  }

  /** Begins a call if it may run now. */
  begins(lane: Lane): boolean {
    if (this.#running !== null || this.#spentMs >= turnMs) return false;
    this.#begin(lane);
    return true;
  }

  /** A lane has its first waiting call. */
  wait(lane: Lane): void {
    this.#waiting.push(lane);
  }

  #begin(lane: Lane): void {
    this.#running = lane;
    this.#beganMs = performance.now();
    // When all has run that the call does without waiting for something.
    queueMicrotask(this.#afterMicrotasks);
  }

  readonly #afterMicrotasks = () => process.nextTick(this.#ran);

  readonly #ran = () => {
    this.#running = null;
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
    if (this.#running === null) this.#runNext();
  };

  #runNext(): void {
    const lane = this.#waiting.shift();
    if (lane === undefined) return;
    this.#begin(lane);
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
    if (this.#waiting.length === 0 && this.#turns.begins(this)) return null;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#turns.wait(this);
    });
  }

  /** Whether one of its calls runs. */
  get isRunning(): boolean {
    return this.#turns.runs(this);
  }

  /** Lets the next call run. @returns whether more wait */
  runNext(): boolean {
    this.#waiting.shift()?.();
    return this.#waiting.length > 0;
  }
}
