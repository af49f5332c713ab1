import type { Clock, Disposable } from '#base';
import type { Pty } from '#pty';

type PauseReason = 'work' | 'saving' | 'readers';

/** Pauses a program's output while anyone wants that. */
export class OutputPauses {
  readonly #pty: Pick<Pty, 'pause' | 'resume'>;
  readonly #reasons = new Set<PauseReason>();

  constructor(pty: Pick<Pty, 'pause' | 'resume'>) {
    this.#pty = pty;
  }

  pause(reason: PauseReason): void {
    const isFirst = this.#reasons.size === 0;
    this.#reasons.add(reason);
    if (isFirst) this.#pty.pause();
  }

  resume(reason: PauseReason): void {
    if (this.#reasons.delete(reason) && this.#reasons.size === 0) this.#pty.resume();
  }
}

/**
 * Spreads work on output over turns of the event loop, and does what comes after it in order. Meanwhile the
 * program's output is paused.
 */
export class OutputTurns implements Disposable {
  readonly #clock: Pick<Clock, 'afterPendingIo'>;
  readonly #pauses: OutputPauses;
  readonly #onFault: (error: unknown) => void;
  /** Each returns whether it is done. */
  #tasks: (() => boolean)[] = [];
  #next: Disposable | null = null;

  /** @param onFault called with what a task throws; the tasks after it run */
  constructor(
    clock: Pick<Clock, 'afterPendingIo'>,
    pauses: OutputPauses,
    onFault: (error: unknown) => void,
  ) {
    this.#clock = clock;
    this.#pauses = pauses;
    this.#onFault = onFault;
  }

  get isBusy(): boolean {
    return this.#tasks.length > 0;
  }

  /** Runs a task when all before it are done: one part in each turn until it returns true. */
  add(task: () => boolean): void {
    this.#tasks.push(task);
    if (this.#tasks.length > 1) return;
    this.#pauses.pause('work');
    this.#schedule();
  }

  /** Calls `act` after the tasks: at once if there are none. */
  inOrder(act: () => void): void {
    if (!this.isBusy) act();
    else {
      this.add(() => {
        act();
        return true;
      });
    }
  }

  dispose(): void {
    this.#next?.dispose();
    this.#tasks = [];
  }

  #schedule(): void {
    this.#next = this.#clock.afterPendingIo(() => this.#turn());
  }

  #isDone(task: () => boolean): boolean {
    try {
      return task();
    } catch (error) {
      this.#onFault(error);
      return true;
    }
  }

  #turn(): void {
    const [task] = this.#tasks;
    if (task === undefined || this.#isDone(task)) this.#tasks.shift();
    if (this.isBusy) this.#schedule();
    else this.#pauses.resume('work');
  }
}
