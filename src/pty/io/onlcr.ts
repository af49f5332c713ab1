const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * What a program wrote into a pipe, as a terminal would have got it: a line feed alone goes down and
 * not to the beginning of the line, which is why drivers put a carriage return before it (ONLCR of
 * termios(3)). One that is there already stays the only one.
 */
export class LineFeeds {
  #last = 0;

  /** @returns `bytes` themselves where nothing is missing */
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

  /** Of those that lack a carriage return; where there is none, the last byte is kept in mind. */
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
