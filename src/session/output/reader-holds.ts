import type { Clock, Disposable } from '#base';
import { flow } from '#model';

const { maxAheadBytes, readerMs } = flow.session;

export interface ReaderHoldsParts {
  readonly clock: Clock;
  /** Returns the bytes of text of the lines from a line on. */
  readonly bytesFrom: (line: number) => number;
  readonly pause: () => void;
  readonly resume: () => void;
}

interface Reader {
  line: number;
  /** How many of its calls are under way. */
  calls: number;
  timer: Disposable | null;
}

/** Pauses the output of a program that is far ahead of those who follow it. */
export class ReaderHolds {
  readonly #parts: ReaderHoldsParts;
  readonly #readers = new Map<string, Reader>();
  #isPaused = false;

  constructor(parts: ReaderHoldsParts) {
    this.#parts = parts;
  }

  /** Notes that a reader has all lines before `line`; until the returned call, it is there. */
  begin(name: string, line: number): () => void {
    const reader = this.#readers.get(name) ?? { line, calls: 0, timer: null };
    reader.line = line;
    reader.calls += 1;
    reader.timer?.dispose();
    reader.timer = null;
    this.#readers.set(name, reader);
    this.check();
    return () => {
      reader.calls -= 1;
      if (reader.calls > 0 || this.#readers.get(name) !== reader) return;
      reader.timer = this.#parts.clock.schedule(readerMs, () => {
        this.#readers.delete(name);
        this.check();
      });
    };
  }

  /** Must be called when there is more output. */
  check(): void {
    if (this.#readers.size === 0 && !this.#isPaused) return;
    let line = Number.POSITIVE_INFINITY;
    for (const reader of this.#readers.values()) line = Math.min(line, reader.line);
    const isAhead = this.#readers.size > 0 && this.#parts.bytesFrom(line) > maxAheadBytes;
    if (isAhead === this.#isPaused) return;
    this.#isPaused = isAhead;
    if (isAhead) this.#parts.pause();
    else this.#parts.resume();
  }

  /** The output is no longer held. */
  end(): void {
    for (const { timer } of this.#readers.values()) timer?.dispose();
    this.#readers.clear();
    this.check();
  }
}
