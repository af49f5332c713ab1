import { type Disposable, toDisposable } from '#base';
import type { EventLoop } from '#pty';

interface Entry {
  readonly dueMs: number;
  readonly run: () => void;
}

/** A process of a simulation: an event loop whose time passes by the work that it is given, and by waiting. */
export class SimulatedProcess implements EventLoop {
  #timeMs = 0;
  #waitedMs = 0;
  /** Timers and input, in the order in which they are due. */
  #entries: Entry[] = [];
  #afterTurn: (() => void)[] = [];

  nowMs(): number {
    return this.#timeMs;
  }

  /** The time for which it had nothing to do. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Takes time. */
  work(ms: number): void {
    this.#timeMs += ms;
  }

  afterTurn(callback: () => void): void {
    this.#afterTurn.push(callback);
  }

  after(delayMs: number, callback: () => void): Disposable {
    return this.at(this.#timeMs + delayMs, callback);
  }

  /** Calls back at a time, or as soon as the process is ready. */
  at(dueMs: number, run: () => void): Disposable {
    const entry = { dueMs, run };
    const later = this.#entries.findIndex((each) => each.dueMs > dueMs);
    this.#entries.splice(later === -1 ? this.#entries.length : later, 0, entry);
    return toDisposable(() => {
      this.#entries = this.#entries.filter((each) => each !== entry);
    });
  }

  /** When its next turn begins; infinity if it has nothing to do. */
  get nextMs(): number {
    if (this.#afterTurn.length > 0) return this.#timeMs;
    return Math.max(this.#timeMs, this.#entries[0]?.dueMs ?? Number.POSITIVE_INFINITY);
  }

  /** One turn: what is due when it begins, then what was deferred until after the turn. */
  turn(): void {
    const { nextMs } = this;
    this.#waitedMs += nextMs - this.#timeMs;
    this.#timeMs = nextMs;
    const due = this.#entries.filter(({ dueMs }) => dueMs <= nextMs);
    for (const entry of due) {
      // An entry before it may have removed it.
      if (!this.#entries.includes(entry)) continue;
      this.#entries.splice(this.#entries.indexOf(entry), 1);
      entry.run();
    }
    for (const run of this.#afterTurn.splice(0)) run();
  }
}

/** Runs processes side by side, each on a processor of its own, until a time. */
export function runUntil(endMs: number, processes: readonly SimulatedProcess[]): void {
  for (;;) {
    const next = processes.reduce((a, b) => (b.nextMs < a.nextMs ? b : a));
    if (next.nextMs >= endMs) return;
    next.turn();
  }
}
