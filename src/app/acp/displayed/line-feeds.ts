const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * What a program wrote into a pipe, as a terminal would have got it: a line feed alone goes down and
 * not to the beginning of the line, which is why terminals put a carriage return before it (ONLCR).
 */
export class LineFeeds {
  #last = 0;

  convert(bytes: Uint8Array): Uint8Array {
    const converted: number[] = [];
    for (const byte of bytes) {
      if (byte === lineFeed && this.#last !== carriageReturn) converted.push(carriageReturn);
      converted.push(byte);
      this.#last = byte;
    }
    return Uint8Array.from(converted);
  }
}
