const lineFeed = 0x0a;

/** Lines of a stream, of which none is kept that is longer than it may be. */
export class LineReader {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in a chunk, as they end; null for one that is too long. */
  *push(chunk: Uint8Array): Generator<string | null> {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(lineFeed, from);
      this.#add(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (end === -1) return;
      yield this.#take();
      from = end + 1;
    }
  }

  #add(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes <= this.#maxBytes) this.#parts.push(part);
    else this.#parts = [];
  }

  #take(): string | null {
    const line = this.#bytes > this.#maxBytes ? null : Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}
