import { encodeUtf8, Utf8Decoder } from '#base';
import { pasteEnd } from '#keys';

/**
 * Longer pastes come in parts. A part can be sent by one call, which accepts 1 MiB, together with the marks of a
 * paste and a character that began in the part before.
 */
const maxPartBytes = 1024 * 1024 - 32;

/** What a byte that is not ASCII may need in the text: U+FFFD has three. */
const maxTextBytesOf = (byte: number): number => (byte < 0x80 ? 1 : 3);

const endMark = encodeUtf8(pasteEnd);

/** Collects the text of a paste up to its end mark, which may come in pieces. */
export class PasteCollector {
  readonly #utf8 = new Utf8Decoder();
  #bytes = new Uint8Array(4096);
  #length = 0;
  /** The most that the text so far can have in UTF-8. */
  #textBytes = 0;
  /** How many of the last bytes may begin the end mark. */
  #matched = 0;

  /**
   * Adds bytes from an offset on, and returns the offset at which it stopped: after the last, or
   * where `isFull` or `isEnded` became true.
   */
  add(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length && !this.isFull && !this.isEnded) this.#push(bytes[at++] ?? 0);
    return at;
  }

  /** Whether {@link takePart} must be called before more is added. */
  get isFull(): boolean {
    return this.#textBytes >= maxPartBytes;
  }

  get isEnded(): boolean {
    return this.#matched === endMark.length;
  }

  /** Returns the text so far. */
  takePart(): string {
    const end = this.#length - this.#matched;
    const text = this.#utf8.push(this.#bytes.subarray(0, end));
    this.#bytes.copyWithin(0, end, this.#length);
    this.#length = this.#matched;
    this.#textBytes = this.#matched;
    return text;
  }

  /** Returns the rest of the text, also if its end mark has not come. */
  takeAll(): string {
    const end = this.isEnded ? this.#length - endMark.length : this.#length;
    return this.#utf8.push(this.#bytes.subarray(0, end)) + this.#utf8.end();
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
    this.#textBytes += maxTextBytesOf(byte);
    // Only its first byte is ESC, so what fails to match can begin the mark with its last byte only.
    if (byte === endMark[this.#matched]) this.#matched++;
    else this.#matched = byte === endMark[0] ? 1 : 0;
  }
}
