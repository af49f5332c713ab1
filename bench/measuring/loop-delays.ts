import { performance } from 'node:perf_hooks';
import { percentile } from './statistics.ts';

const intervalMs = 1;

/** Delays of the event loop, in ms. */
export interface LoopDelay {
  readonly p99Ms: number;
  readonly longestMs: number;
  /**
   * The CPU time of the process during each delay: its own share, without the other load of the
   * machine.
   */
  readonly ownP99Ms: number;
  readonly longestOwnMs: number;
}

/** Measures the delays of a timer of 1 ms. */
export class LoopDelays {
  readonly #delaysMs: number[] = [];
  readonly #ownMs: number[] = [];
  #lastMs = performance.now();
  #lastCpuMs = cpuMs();
  readonly #timer = setInterval(() => this.#sample(), intervalMs);

  stop(): LoopDelay {
    clearInterval(this.#timer);
    this.#sample();
    return {
      p99Ms: percentile(this.#delaysMs, 0.99),
      longestMs: percentile(this.#delaysMs, 1),
      ownP99Ms: percentile(this.#ownMs, 0.99),
      longestOwnMs: percentile(this.#ownMs, 1),
    };
  }

  #sample(): void {
    const nowMs = performance.now();
    const nowCpuMs = cpuMs();
    const delayMs = Math.max(0, nowMs - this.#lastMs - intervalMs);
    this.#delaysMs.push(delayMs);
    this.#ownMs.push(Math.min(delayMs, nowCpuMs - this.#lastCpuMs));
    this.#lastMs = nowMs;
    this.#lastCpuMs = nowCpuMs;
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
