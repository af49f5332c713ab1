/** How the program requested keys to be encoded, apart from DECCKM and the keypad mode. */
export class KeyboardState {
  /** xterm's modifyOtherKeys. */
  modifyOtherKeys: 0 | 1 | 2 = 0;
  /** xterm's formatOtherKeys. */
  formatOtherKeys: 0 | 1 = 0;
  /** Flags of the kitty keyboard protocol; each screen has its own stack. */
  readonly primaryFlags = new FlagStack();
  readonly alternateFlags = new FlagStack();
}

/** A further entry drops the oldest, as the protocol allows. */
const maxEntries = 16;
const allFlags = 0x1f;

/** A stack of progressive enhancement flags, for one screen. */
export class FlagStack {
  #entries: number[] = [0];

  get current(): number {
    return this.#entries[this.#entries.length - 1];
  }

  /** All entries, the current one last. */
  get entries(): readonly number[] {
    return this.#entries;
  }

  push(flags: number): void {
    if (this.#entries.length === maxEntries) this.#entries.shift();
    this.#entries.push(flags & allFlags);
  }

  pop(count: number): void {
    this.#entries.length = Math.max(0, this.#entries.length - count);
    if (this.#entries.length === 0) this.#entries.push(0);
  }

  /** @param how 1 sets the flags, 2 adds them, 3 removes them */
  set(flags: number, how: number): void {
    const { current } = this;
    const last = this.#entries.length - 1;
    if (how === 1) this.#entries[last] = flags & allFlags;
    if (how === 2) this.#entries[last] = (current | flags) & allFlags;
    if (how === 3) this.#entries[last] = current & ~flags;
  }
}
