import { type Clock, type Disposable, toDisposable } from '#base';
import { systemClock } from '../../src/coordinator/system-clock.ts';

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
  started: Disposable;
}

/** The clock of the system, which a test moves ahead: real programs, and lifetimes of minutes. */
export class JumpingClock implements Clock {
  #aheadMs = 0;
  readonly #timers = new Set<Timer>();

  nowMs = (): number => systemClock.nowMs() + this.#aheadMs;
  wallMs = (): number => systemClock.wallMs() + this.#aheadMs;
  afterPendingIo = (run: () => void): Disposable => systemClock.afterPendingIo(run);

  schedule(delayMs: number, run: () => void): Disposable {
    const fire = () => {
      this.#timers.delete(timer);
      run();
    };
    const timer: Timer = {
      dueMs: this.nowMs() + delayMs,
      run: fire,
      started: systemClock.schedule(delayMs, fire),
    };
    this.#timers.add(timer);
    return toDisposable(() => this.#end(timer));
  }

  /** Moves it ahead. Each timer fires when it is due. */
  jump(ms: number): void {
    const endMs = this.nowMs() + ms;
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.#aheadMs += Math.max(0, next.dueMs - this.nowMs());
      this.#end(next);
      next.run();
    }
    this.#aheadMs += Math.max(0, endMs - this.nowMs());
    for (const timer of this.#timers) {
      timer.started.dispose();
      timer.started = systemClock.schedule(timer.dueMs - this.nowMs(), timer.run);
    }
  }

  #next(byMs: number): Timer | undefined {
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= byMs);
    return due.sort((a, b) => a.dueMs - b.dueMs)[0];
  }

  #end(timer: Timer): void {
    timer.started.dispose();
    this.#timers.delete(timer);
  }
}
