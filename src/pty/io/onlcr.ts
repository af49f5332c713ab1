const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Converts output that was written to a pipe to output of a terminal: inserts a carriage return
 * before each line feed, as ONLCR does (termios(3)), because a line feed alone moves the cursor
 * down only. A line feed that has a carriage return before it is left alone.
 */
export class Onlcr {
  #last = 0;

  /** @returns `bytes` itself if nothing is inserted */
  convert(bytes: Uint8Array): Uint8Array {
    const count = this.#count(bytes);
    if (count === 0) return bytes;
    const converted = new Uint8Array(bytes.length + count);
    let at = 0;
    let last = this.#last;
    for (const byte of bytes) {
      if (byte === lineFeed && last !== carriageReturn) converted[at++] = carriageReturn;
      converted[at++] = byte;
      last = byte;
    }
    this.#last = last;
    return converted;
  }

  /** Counts the line feeds without a carriage return. If there are none, also updates `#last`. */
  #count(bytes: Uint8Array): number {
    let count = 0;
    let last = this.#last;
    for (const byte of bytes) {
      if (byte === lineFeed && last !== carriageReturn) count++;
      last = byte;
    }
    if (count === 0) this.#last = last;
    return count;
  }
}
