/** For how long an Enter of a later write is kept apart from text, in ms. */
const recentMs = 1_000;
/** Characters that follow one another this fast, in ms, are not typed by hand. Keys repeat every 33 ms or so. */
const fastMs = 25;

/**
 * The text that was typed since the last Enter. Single characters that a person types one after the other are none:
 * the next Enter follows them without a pause.
 */
export class TypedText {
  #atMs = Number.NEGATIVE_INFINITY;
  #isFast = false;

  /** Whether an Enter that is written now would follow text at once. */
  get isRecent(): boolean {
    return this.#isFast && performance.now() - this.#atMs < recentMs;
  }

  /** @param bytes of input that the terminal has accepted, without an Enter that ends it */
  add(bytes: Uint8Array): void {
    const nowMs = performance.now();
    const isFast = bytes.length > 1 || nowMs - this.#atMs < fastMs;
    this.#isFast = isFast || this.isRecent;
    this.#atMs = nowMs;
  }

  /** An Enter was written. */
  end(): void {
    this.#isFast = false;
    this.#atMs = Number.NEGATIVE_INFINITY;
  }
}

/**
 * Whether some input is Enter and nothing else, in any encoding of the key: CR, LF, CR LF with LNM, or that of the kitty
 * keyboard protocol with the flag that reports all keys as escape codes.
 */
export function isEnter(bytes: Uint8Array): boolean {
  const first = bytes[0];
  if (bytes.length === 1) return first === 0x0d || first === 0x0a;
  return /^(?:\r\n|\x1b\[13(?:;1)?u)$/.test(Buffer.from(bytes).toString('latin1'));
}
