import { machineMs } from '#base';

/** How long an answer may pause once it has begun, in ms; see {@link Pace}. */
const nearGraceMs = 3_000;
/** Over a link to another machine. */
export const farGraceMs = 30_000;
/** The most time that an answer can have for a pause because its bytes came quickly before, in ms. */
const maxSavedMs = 30_000;
/** A timer that fires this much later shows that this process was suspended, or had no processor, in ms. */
const awayMs = 500;

/** The limits of a list of sessions: one coordinator must not delay a search for a session among several. */
export const listLimits = { answerMs: 3_000, maxBytes: 16 * 1024 * 1024 };

export const graceMsOf = (isFar: boolean): number => (isFar ? farGraceMs : nearGraceMs);

/** Why an answer is given up. */
export const slowText = 'its answer comes too slowly';

/**
 * Ends an answer that comes in drips. It has `graceMs`, and each byte adds 1 ms: a large answer over a slow link may
 * take minutes, while one of less than 1,000 bytes a second is given up.
 */
export class Pace {
  readonly #graceMs: number;
  readonly #onLate: () => void;
  #dueMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param onLate called once, unless the answer has ended before */
  constructor(graceMs: number, onLate: () => void) {
    this.#graceMs = graceMs;
    this.#onLate = onLate;
    this.#dueMs = machineMs() + graceMs;
    this.#restart();
  }

  received(bytes: number): void {
    const now = machineMs();
    this.#forgive(now);
    const latestMs = now + Math.max(this.#graceMs, maxSavedMs);
    this.#dueMs = Math.min(latestMs, this.#dueMs + bytes);
    this.#restart();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), this.#dueMs - machineMs());
  }

  #look(): void {
    if (this.#forgive(machineMs())) this.#restart();
    else this.#onLate();
  }

  /** Gives the time again in which this process did not run. @returns whether there was any */
  #forgive(now: number): boolean {
    if (now - this.#dueMs < awayMs) return false;
    this.#dueMs = now + this.#graceMs;
    return true;
  }
}
