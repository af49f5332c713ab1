const lineFeed = 0x0a;
const noBytes = new Uint8Array(0);

export interface LineBytes {
  /**
   * The line with its line feed; the last line of a stream may have none. A line over the limit is
   * truncated to its first `headBytes` bytes. May share the memory of the chunk.
   */
  readonly bytes: Uint8Array;
  /** The length in bytes of a line over the limit; null if `bytes` is the whole line. */
  readonly tooLongBytes: number | null;
}

export interface LineLimits {
  /** The longest line in bytes, with its line feed. */
  readonly maxBytes: number;
  /** Bytes kept of a longer line; at most `maxBytes`. */
  readonly headBytes: number;
  /** Called with all bytes of a longer line, in pieces. They may share the memory of the chunk. Default: nothing */
  readonly onLong?: (piece: Uint8Array) => void;
}

/** Splits a stream that arrives in chunks into lines. Never keeps more than one line. */
export class LineReader {
  readonly #limits: LineLimits;
  /** The line so far is in its first `#filled` bytes. */
  #memory: Uint8Array = noBytes;
  #filled = 0;
  /** Length of the line so far, dropped bytes included. */
  #lineBytes = 0;

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  /** Yields the lines that end in `chunk`. Read all of them before the next push. */
  *push(chunk: Uint8Array): Generator<LineBytes, void, void> {
    for (let start = 0; start < chunk.length; ) {
      const end = chunk.indexOf(lineFeed, start) + 1;
      this.#append(chunk.subarray(start, end || chunk.length));
      if (end === 0) return;
      yield this.#take();
      start = end;
    }
  }

  /** Returns the last line if it has no line feed; null if there is none. */
  end(): LineBytes | null {
    return this.#lineBytes === 0 ? null : this.#take();
  }

  #append(part: Uint8Array): void {
    const { maxBytes, headBytes } = this.#limits;
    const before = this.#lineBytes;
    this.#lineBytes += part.length;
    const { onLong = () => {} } = this.#limits;
    if (this.#lineBytes <= maxBytes) {
      this.#keep(part);
      return;
    }
    if (before <= maxBytes) {
      onLong(this.#memory.subarray(0, this.#filled));
      this.#truncate(part, headBytes);
    }
    onLong(part);
  }

  #keep(part: Uint8Array): void {
    // A line in one chunk is not copied.
    if (this.#filled === 0) {
      this.#memory = part;
      this.#filled = part.length;
      return;
    }
    const length = this.#filled + part.length;
    if (length > this.#memory.length) {
      // Doubled: with chunks of any size, each byte is copied a few times at most.
      const memory = new Uint8Array(length * 2);
      memory.set(this.#memory.subarray(0, this.#filled));
      this.#memory = memory;
    }
    this.#memory.set(part, this.#filled);
    this.#filled = length;
  }

  /** Copies the head, so that neither the chunk nor a large buffer stays in memory. */
  #truncate(part: Uint8Array, headBytes: number): void {
    const length = Math.min(this.#filled, headBytes);
    const added = part.subarray(0, headBytes - length);
    const head = new Uint8Array(length + added.length);
    head.set(this.#memory.subarray(0, length));
    head.set(added, length);
    this.#memory = head;
    this.#filled = head.length;
  }

  #take(): LineBytes {
    const tooLongBytes = this.#lineBytes > this.#limits.maxBytes ? this.#lineBytes : null;
    const bytes = this.#memory.subarray(0, this.#filled);
    this.#memory = noBytes;
    this.#filled = 0;
    this.#lineBytes = 0;
    return { bytes, tooLongBytes };
  }
}
