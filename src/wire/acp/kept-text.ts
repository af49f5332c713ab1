/** Initial size of the buffer. It grows on demand, up to twice the limit. */
const firstBytes = 4 * 1024;

/** A piece of the text, by offsets in the buffer. */
interface Piece {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

const nothing: Piece = { text: '', from: 0, to: 0 };

/** The end of a growing text, limited in bytes of UTF-8; truncated between two characters. */
export class KeptText {
  readonly #maxBytes: number;
  #buffer: Buffer;
  #used = 0;
  #truncated = false;
  #lastRead = nothing;

  /** @param maxBytes 0 and up */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#buffer = Buffer.allocUnsafe(Math.min(firstBytes, 2 * maxBytes));
  }

  /** Whether the beginning was dropped. */
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
    if (this.#used + added.length > this.#buffer.length) this.#makeSpace(added.length);
    this.#used += added.copy(this.#buffer, this.#used);
  }

  /** Drops the text so far, because text after it was lost. */
  cut(): void {
    this.#truncated = true;
    this.#used = 0;
    this.#lastRead = nothing;
  }

  /** Decodes only what changed since the last call. */
  toString(): string {
    const from = this.#start();
    const { text, ...last } = this.#lastRead;
    if (last.to <= from) {
      this.#lastRead = { text: this.#text(from, this.#used), from, to: this.#used };
    } else if (last.from < from || last.to < this.#used) {
      const gone = this.#text(last.from, from).length;
      const whole = text.slice(gone) + this.#text(last.to, this.#used);
      this.#lastRead = { text: whole, from, to: this.#used };
    }
    return this.#lastRead.text;
  }

  #text(from: number, to: number): string {
    return this.#buffer.toString('utf8', from, to);
  }

  /** Start of the kept text. */
  #start(): number {
    return characterAt(this.#buffer, Math.max(0, this.#used - this.#maxBytes), this.#used);
  }

  /** For text at or over the limit: replaces everything. */
  #keepOnly(added: Buffer): void {
    const start = characterAt(added, added.length - this.#maxBytes, added.length);
    if (this.#used > 0 || start > 0) this.cut();
    this.#buffer = Buffer.allocUnsafe(2 * this.#maxBytes);
    this.#used = added.copy(this.#buffer, 0, start);
  }

  /** The kept text fills at most half of the largest buffer, and the new text less than half. */
  #makeSpace(count: number): void {
    const start = this.#start();
    const kept = this.#buffer.subarray(start, this.#used);
    if (start > 0) {
      this.#truncated = true;
      this.#lastRead = nothing;
    }
    if (this.#buffer.length < 2 * this.#maxBytes) {
      const bytes = 2 * Math.max(this.#buffer.length, kept.length + count);
      this.#buffer = Buffer.allocUnsafe(Math.min(bytes, 2 * this.#maxBytes));
    }
    this.#used = kept.copy(this.#buffer);
  }
}

/** Returns the first offset, from `from` on, that is not inside a character. */
function characterAt(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at > 0 && at < end && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
