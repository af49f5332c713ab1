import type { Clock, Disposable } from '#base';
import type { RestartCommand } from '#pty/hosted';

/** The time for the first coordinator to connect, in ms. */
const firstMs = 10_000;
/** The time without a coordinator, in ms, after which a host without sessions ends. */
const emptyMs = 5_000;
/** The same for a host whose programs have all exited. */
const exitedMs = 24 * 60 * 60 * 1000;
/** The time for a coordinator to connect before the next attempt to start one, in ms. */
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;
/** Attempts before the pauses grow. */
const quickAttempts = 3;
/** A coordinator that stayed connected for this time started without a problem, in ms. */
const stableMs = 10_000;
/** Shorter-lived coordinators in a row before the pauses grow. */
const maxShortLived = 100;

/** What a host without a coordinator still has. */
export type Contents = 'nothing' | 'exited programs' | 'running programs';

export interface LifetimeParts {
  readonly clock: Clock;
  readonly contents: () => Contents;
  /** Starts a coordinator. */
  readonly start: (command: RestartCommand) => void;
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
  #ending: Disposable | null = null;
  #starting: Disposable | null = null;

  constructor(parts: LifetimeParts) {
    this.#parts = parts;
    this.#ending = parts.clock.schedule(firstMs, parts.end);
  }

  /** A coordinator has connected. */
  connected(): void {
    this.#isConnected = true;
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
    if (again !== null) this.#planStart(again);
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

  /** Does nothing more. */
  dispose(): void {
    this.#isConnected = true;
    this.#stop();
  }

  #stop(): void {
    this.#ending?.dispose();
    this.#starting?.dispose();
    this.#ending = null;
    this.#starting = null;
  }

  #planStart(again: RestartCommand): void {
    const { clock, contents, start } = this.#parts;
    const growth = Math.max(
      ...[0, this.#attempts - quickAttempts + 1, this.#shortLived - maxShortLived],
    );
    const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** growth);
    this.#starting = clock.schedule(pauseMs, () => {
      this.#starting = null;
      if (contents() === 'nothing') return;
      this.#attempts++;
      start(again);
      this.#planStart(again);
    });
  }
}
