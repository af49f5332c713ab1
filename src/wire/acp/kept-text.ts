/** Of UTF-8. Room is taken as it is needed, up to twice the limit. */
const firstBytes = 4 * 1024;

/** A piece of the text, by places in the room. */
interface Piece {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

const nothing: Piece = { text: '', from: 0, to: 0 };

/** The end of a text that grows, within a limit in bytes of UTF-8; cut between two characters. */
export class KeptText {
  readonly #maxBytes: number;
  #room: Buffer;
  #used = 0;
  #truncated = false;
  #lastRead = nothing;

  /** @param maxBytes 0 and up */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#room = Buffer.allocUnsafe(Math.min(firstBytes, 2 * maxBytes));
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
    if (this.#used + added.length > this.#room.length) this.#makeRoom(added.length);
    this.#used += added.copy(this.#room, this.#used);
  }

  /** Forgets what there is: something after it was lost. */
  cut(): void {
    this.#truncated = true;
    this.#used = 0;
    this.#lastRead = nothing;
  }

  /** Costs what has changed since the last time, and what the text itself costs to be put together. */
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
    return this.#room.toString('utf8', from, to);
  }

  /** Of what is kept. */
  #start(): number {
    return characterAt(this.#room, Math.max(0, this.#used - this.#maxBytes), this.#used);
  }

  /** Of text that takes all that may be kept, or more. */
  #keepOnly(added: Buffer): void {
    const start = characterAt(added, added.length - this.#maxBytes, added.length);
    if (this.#used > 0 || start > 0) this.cut();
    this.#room = Buffer.allocUnsafe(2 * this.#maxBytes);
    this.#used = added.copy(this.#room, 0, start);
  }

  /** What is kept takes half of the largest room at most, and what comes less than half. */
  #makeRoom(count: number): void {
    const start = this.#start();
    const kept = this.#room.subarray(start, this.#used);
    if (start > 0) {
      this.#truncated = true;
      this.#lastRead = nothing;
    }
    if (this.#room.length < 2 * this.#maxBytes) {
      const bytes = 2 * Math.max(this.#room.length, kept.length + count);
      this.#room = Buffer.allocUnsafe(Math.min(bytes, 2 * this.#maxBytes));
    }
    this.#used = kept.copy(this.#room);
  }
}

/** The first place from `from` on that is not within a character. */
function characterAt(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at > 0 && at < end && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
