import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

export interface EchoTimes {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly count: number;
  /** p99 of an echo through pipes, without a terminal, in the same period. */
  readonly controlMs: number;
  /** The longest of these. */
  readonly controlMaxMs: number;
}

/** Measured durations. */
export class Times {
  readonly #all: number[] = [];

  async measure(work: () => Promise<unknown>): Promise<void> {
    const begin = performance.now();
    await work();
    this.#all.push(performance.now() - begin);
  }

  sorted(): { p50Ms: number; p99Ms: number; maxMs: number; count: number } {
    const times = this.#all.sort((a, b) => a - b);
    const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
    return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), count: times.length };
  }
}

/** Measures a byte to a program and back through pipes, as a reference for the load of the machine. */
export class Control {
  readonly #times = new Times();
  readonly #cat: ChildProcessByStdio<Writable, Readable, null> = spawn('cat', {
    stdio: ['pipe', 'pipe', 'ignore'],
  });

  measure(): Promise<void> {
    return this.#times.measure(async () => {
      this.#cat.stdin.write('.');
      await once(this.#cat.stdout, 'data');
    });
  }

  /** What {@link EchoTimes} has of it. */
  figures(): Pick<EchoTimes, 'controlMs' | 'controlMaxMs'> {
    const { p99Ms, maxMs } = this.#times.sorted();
    return { controlMs: p99Ms, controlMaxMs: maxMs };
  }

  end(): void {
    this.#cat.stdin.end();
  }
}
