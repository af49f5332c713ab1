import { type Clock, type Disposable, ownTimers, toDisposable } from '#base';

/** How long a host may send nothing while a request waits, before it is sent a `ping`, in ms. */
const quietMs = 1_000;
/** How long it may send nothing after that, in ms. */
const answerMs = 1_500;
/** A timer that is later than this, in ms, was delayed with its process, and perhaps with the host. */
const maxLateMs = 500;

type PulseClock = Pick<Clock, 'nowMs' | 'schedule' | 'afterPendingIo'>;

export interface HostPulseParts {
  /** Whether a request is not answered. */
  readonly isAwaited: () => boolean;
  readonly ping: () => void;
  /** Called when the host does not respond. */
  readonly onSilent: () => void;
  readonly clock?: PulseClock;
}

/** Detects that a host does not respond, because it is suspended or its machine is overloaded. */
export class HostPulse {
  readonly #parts: HostPulseParts;
  readonly #clock: PulseClock;
  #heardAtMs = Number.NEGATIVE_INFINITY;
  #awaitedAtMs = 0;
  #isSilent = false;
  /** Whether a `ping` waits for an answer. */
  #isPinged = false;
  /** When it must have answered. */
  #dueMs = 0;
  #timer: Disposable | null = null;

  constructor(parts: HostPulseParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? processClock;
  }

  /** Whether the host did not respond, and has sent nothing since. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** The time from now, in ms, before which a request that is sent now cannot fail. */
  get leastMs(): number {
    const nowMs = this.#clock.nowMs();
    if (this.#timer === null) return quietMs + answerMs;
    if (this.#isPinged) return this.#dueMs - nowMs;
    return Math.max(this.#awaitedAtMs, this.#heardAtMs) + quietMs + answerMs - nowMs;
  }

  /** Must be called when a request was sent. */
  awaited(): void {
    if (this.#timer !== null || this.#isSilent) return;
    this.#awaitedAtMs = this.#clock.nowMs();
    this.#listen();
  }

  /** Must be called when the host has sent anything. */
  heard(): void {
    this.#isSilent = false;
    this.#heardAtMs = this.#clock.nowMs();
    if (!this.#isPinged) return;
    this.#isPinged = false;
    this.dispose();
    this.#continue();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = null;
  }

  #listen(): void {
    const lastMs = Math.max(this.#awaitedAtMs, this.#heardAtMs);
    this.#at(lastMs + quietMs, () => {
      if (this.#heardAtMs > lastMs) this.#continue();
      else this.#ping();
    });
  }

  #ping(): void {
    if (!this.#parts.isAwaited()) return;
    this.#isPinged = true;
    this.#parts.ping();
    const dueMs = this.#clock.nowMs() + answerMs;
    this.#dueMs = dueMs;
    this.#at(dueMs, () => {
      const isLate = this.#clock.nowMs() - dueMs > maxLateMs;
      this.#timer = this.#clock.afterPendingIo(() => {
        this.#timer = null;
        this.#isPinged = false;
        if (isLate) this.#ping();
        else this.#fail();
      });
    });
  }

  #continue(): void {
    if (this.#parts.isAwaited()) this.#listen();
  }

  #fail(): void {
    this.#isSilent = true;
    this.#parts.onSilent();
  }

  #at(dueMs: number, run: () => void): void {
    this.#timer = this.#clock.schedule(Math.max(0, dueMs - this.#clock.nowMs()), () => {
      this.#timer = null;
      run();
    });
  }
}

const processClock: PulseClock = {
  ...ownTimers,
  afterPendingIo(run) {
    // The first runs after the poll phase of this iteration, the second after that of the next.
    let immediate = setImmediate(() => {
      immediate = setImmediate(run);
    });
    return toDisposable(() => clearImmediate(immediate));
  },
};
