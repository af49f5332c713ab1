/** Of UTF-8. Room is taken as it is needed, up to twice the limit. */
const firstBytes = 4 * 1024;

/** The end of a text that grows, within a limit in bytes of UTF-8; cut between two characters. */
export class KeptText {
  readonly #maxBytes: number;
  #bytes: Buffer;
  #used = 0;
  #truncated = false;
  /** What was read last, and how many bytes of what is kept it stands for. */
  #read = { text: '', bytes: 0 };

  /** @param maxBytes 0 and up */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#bytes = Buffer.allocUnsafe(Math.min(firstBytes, 2 * maxBytes));
  }

  /** Whether anything was left out. */
  get truncated(): boolean {
    return this.#truncated || this.#used > this.#maxBytes;
  }

  append(text: string): void {
    if (text === '') return;
    const added = Buffer.from(text);
    if (added.length >= this.#maxBytes) {
      this.#keepOnly(added);
      return;
    }
    if (this.#used + added.length > this.#bytes.length) this.#makeRoom(added.length);
    this.#used += added.copy(this.#bytes, this.#used);
  }

  /** Forgets what there is: something after it was lost. */
  cut(): void {
    this.#truncated = true;
    this.#used = 0;
    this.#forgetRead();
  }

  /** Costs what is new, as long as nothing was left out. */
  toString(): string {
    const start = this.#start();
    if (start > 0) return this.#bytes.toString('utf8', start, this.#used);
    const { text, bytes } = this.#read;
    if (bytes < this.#used) {
      const whole = text + this.#bytes.toString('utf8', bytes, this.#used);
      this.#read = { text: whole, bytes: this.#used };
    }
    return this.#read.text;
  }

  #start(): number {
    return characterAt(this.#bytes, Math.max(0, this.#used - this.#maxBytes), this.#used);
  }

  /** Of text that takes all of the room, or more. */
  #keepOnly(added: Buffer): void {
    const start = characterAt(added, added.length - this.#maxBytes, added.length);
    if (this.#used > 0 || start > 0) this.cut();
    this.#bytes = Buffer.allocUnsafe(2 * this.#maxBytes);
    this.#used = added.copy(this.#bytes, 0, start);
  }

  #makeRoom(count: number): void {
    const start = this.#start();
    const kept = this.#bytes.subarray(start, this.#used);
    if (start > 0) {
      this.#truncated = true;
      this.#forgetRead();
    }
    const isFull = this.#bytes.length === 2 * this.#maxBytes;
    // What is kept takes half of the room at most, and what comes less than half.
    if (!isFull) this.#bytes = Buffer.allocUnsafe(this.#roomFor(kept.length + count));
    this.#used = kept.copy(this.#bytes);
  }

  #roomFor(count: number): number {
    return Math.min(2 * this.#maxBytes, Math.max(2 * this.#bytes.length, 2 * count));
  }

  #forgetRead(): void {
    this.#read = { text: '', bytes: 0 };
  }
}

/** The first place from `from` on that is not within a character. */
function characterAt(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at > 0 && at < end && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
