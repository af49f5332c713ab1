import { type Clock, type Disposable, ignored } from '#base';
import type { DetachedProgram } from '#pty';
import type { RestartCommand } from '#pty/hosted';

/** The time for the first coordinator to connect, in ms. */
const firstMs = 10_000;
/** The time without a coordinator, in ms, after which a host without sessions ends. */
const emptyMs = 5_000;
/** The same for a host whose programs have all exited. */
const exitedMs = 24 * 60 * 60 * 1000;
/** The time for a coordinator to connect before the next attempt to start one, in ms. */
const firstPauseMs = 1_000;
/** The same where the one before started without a problem: then it was killed, or failed at what it did last. */
const quickPauseMs = 100;
const maxPauseMs = 60_000;
/** Attempts before the pauses grow. */
const quickAttempts = 3;
/** A coordinator that stayed connected for this time started without a problem, in ms. */
const stableMs = 10_000;
/** Shorter-lived coordinators in a row before the pauses grow. */
const maxShortLived = 100;

/**
 * The time for a process that was started to connect, in ms. It takes a tenth of a second, many times that on
 * a busy machine, and for ever where Node.js cannot create its threads.
 */
const comeUpMs = 30_000;
/** It doubles with each that was ended, because the machine may be slow. */
const maxComeUpMs = 480_000;

/** What a host without a coordinator still has. */
export type Contents = 'nothing' | 'exited programs' | 'running programs';

export interface LifetimeParts {
  readonly clock: Clock;
  readonly contents: () => Contents;
  /** Starts a coordinator. */
  readonly start: (command: RestartCommand) => DetachedProgram;
  /** The limits that keep a process from starting; empty if none does. */
  readonly limits: () => string;
  readonly log: (line: string) => void;
  /** Ends the host. */
  readonly end: () => void;
}

/** Decides when a host without a coordinator starts one, and when it ends. */
export class Lifetime {
  readonly #parts: LifetimeParts;
  #isConnected = false;
  #connectedAtMs = 0;
  /** Since a coordinator was there. */
  #attempts = 0;
  /** Coordinators in a row that were soon gone. */
  #shortLived = 0;
  /** Those that were started and have not connected, with their timers. */
  readonly #awaited = new Map<DetachedProgram, Disposable>();
  /** Those that were ended since a coordinator was there. */
  #ended = 0;
  #ending: Disposable | null = null;
  #starting: Disposable | null = null;

  constructor(parts: LifetimeParts) {
    this.#parts = parts;
    this.#ending = parts.clock.schedule(firstMs, parts.end);
  }

  /** A process has connected, which may be one that was started. @param pid as it says */
  greeted(pid: unknown): void {
    for (const program of this.#awaited.keys()) {
      ignored(
        program.started.then((started) => started === pid && this.#forget(program)),
        'a program that did not start has not connected',
      );
    }
  }

  /** A coordinator has connected. */
  connected(): void {
    this.#isConnected = true;
    this.#ended = 0;
    this.#connectedAtMs = this.#parts.clock.nowMs();
    this.#stop();
  }

  /**
   * The coordinator is gone.
   *
   * @param again the command that starts another one; null: none is started
   */
  disconnected(again: RestartCommand | null): void {
    const { clock } = this.#parts;
    this.#isConnected = false;
    this.#attempts = 0;
    const isStable = clock.nowMs() - this.#connectedAtMs >= stableMs;
    this.#shortLived = isStable ? 0 : this.#shortLived + 1;
    if (again !== null) this.#planStart(again, isStable ? quickPauseMs : this.#pauseMs);
    this.changed();
  }

  /** A program has started or exited. */
  changed(): void {
    if (this.#isConnected) return;
    this.#ending?.dispose();
    this.#ending = null;
    const { clock, contents, end } = this.#parts;
    const has = contents();
    if (has === 'running programs') return;
    this.#ending = clock.schedule(has === 'nothing' ? emptyMs : exitedMs, end);
  }

  /** Ends it. Resolves when the coordinators that were started and have not connected have been killed. */
  async dispose(): Promise<void> {
    this.#isConnected = true;
    this.#stop();
    const awaited = [...this.#awaited];
    this.#awaited.clear();
    for (const [, timer] of awaited) timer.dispose();
    await Promise.all(awaited.map(([program]) => program.end()));
  }

  #stop(): void {
    this.#ending?.dispose();
    this.#starting?.dispose();
    this.#ending = null;
    this.#starting = null;
  }

  get #pauseMs(): number {
    const growth = Math.max(
      0,
      this.#attempts - quickAttempts + 1,
      this.#shortLived - maxShortLived,
    );
    return Math.min(maxPauseMs, firstPauseMs * 2 ** growth);
  }

  #planStart(again: RestartCommand, pauseMs: number): void {
    const { clock, contents } = this.#parts;
    this.#starting = clock.schedule(pauseMs, () => {
      this.#starting = null;
      if (contents() === 'nothing') return;
      if (!this.#isAwaited()) {
        this.#attempts++;
        this.#start(again);
      }
      this.#planStart(again, this.#pauseMs);
    });
  }

  #start(again: RestartCommand): void {
    const { clock, start, log } = this.#parts;
    log('starting another coordinator');
    const program = start(again);
    const afterMs = Math.min(maxComeUpMs, comeUpMs * 2 ** this.#ended);
    this.#awaited.set(
      program,
      clock.schedule(afterMs, () => void this.#endLate(program, afterMs)),
    );
    program.started.catch((error: Error) => {
      log(error.message);
      this.#forget(program);
    });
  }

  /** Whether one that was started runs, and has not connected. Another one would wait for it. */
  #isAwaited(): boolean {
    for (const program of this.#awaited.keys()) if (!program.isRunning) this.#forget(program);
    return this.#awaited.size > 0;
  }

  #forget(program: DetachedProgram): void {
    this.#awaited.get(program)?.dispose();
    this.#awaited.delete(program);
  }

  async #endLate(program: DetachedProgram, afterMs: number): Promise<void> {
    const { limits, log } = this.#parts;
    const reached = limits();
    const ran = await program.end();
    this.#awaited.delete(program);
    if (!ran) return;
    this.#ended++;
    const reason = reached === '' ? '' : `; reached: ${reached}`;
    log(
      `the coordinator that was started did not connect within ${afterMs / 1e3} s: ended${reason}`,
    );
  }
}
