import type { Size } from '#model';
import type { Terminal } from '#vt';

/** The terminal after a number of events, as output that restores it. */
export interface KeyFrame {
  readonly applied: number;
  readonly size: Size;
  readonly firstLine: number;
  readonly dump: Uint8Array;
}

/**
 * Terminals of a recording in the order of time, from which its replay continues. When they exceed
 * the limit of memory, every second one is dropped, and from then on half as many are added.
 */
export class KeyFrames {
  readonly #maxBytes: number;
  #frames: KeyFrame[] = [];
  #bytes = 0;
  #intervalBytes: number;

  /** @param intervalBytes see {@link intervalBytes} */
  constructor(intervalBytes: number, maxBytes: number) {
    this.#intervalBytes = intervalBytes;
    this.#maxBytes = maxBytes;
  }

  /** The output after which the next key frame is due. */
  get intervalBytes(): number {
    return this.#intervalBytes;
  }

  /** The memory of the dumps. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a terminal without an open frame, later than those before. */
  add(terminal: Terminal, applied: number): void {
    const { dump, firstLine } = terminal.snapshot();
    this.#frames.push({ applied, size: terminal.size, firstLine, dump: dump.slice() });
    this.#bytes += dump.length;
    while (this.#bytes > this.#maxBytes) this.#halve();
  }

  /** Returns the last key frame with at most so many events; null if there is none. */
  upTo(applied: number): KeyFrame | null {
    return this.#frames.findLast((frame) => frame.applied <= applied) ?? null;
  }

  #halve(): void {
    this.#frames = this.#frames.filter((_, index) => index % 2 === 1);
    this.#bytes = this.#frames.reduce((sum, { dump }) => sum + dump.length, 0);
    this.#intervalBytes *= 2;
  }
}
