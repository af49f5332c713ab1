import { TmuxError } from '../tmux-error.ts';

export interface Buffer {
  name: string;
  text: string;
  readonly automatic: boolean;
  readonly createdAtMs: number;
}

/** The paste buffers of a server. */
export class Buffers {
  /** The latest first. */
  #all: Buffer[] = [];
  #next = 0;

  /** The latest first. */
  get all(): readonly Buffer[] {
    return this.#all;
  }

  /**
   * A buffer by its name, or the latest automatic one.
   *
   * @param unknown what the message says of a name that no buffer has
   * @throws TmuxError
   */
  find(name: string | undefined, unknown = 'no buffer '): Buffer {
    const buffer =
      name === undefined
        ? this.#all.find(({ automatic }) => automatic)
        : this.#all.find((each) => each.name === name);
    if (buffer !== undefined) return buffer;
    throw new TmuxError(name === undefined ? 'no buffers' : `${unknown}${name}`);
  }

  has(name: string): boolean {
    return this.#all.some((each) => each.name === name);
  }

  /** Keeps a text in a buffer of a name, or in a new one as {@link add}. */
  set(name: string | undefined, text: string, limit: number, nowMs: number): void {
    if (name === undefined) {
      this.add(text, limit, nowMs);
      return;
    }
    this.#all = this.#all.filter((each) => each.name !== name);
    this.#all.unshift({ name, text, automatic: false, createdAtMs: nowMs });
  }

  /** Keeps a text in a new buffer; of automatic ones, no more than `limit`. @param prefix begins its name */
  add(text: string, limit: number, nowMs: number, prefix = ''): void {
    let name: string;
    do name = `${prefix === '' ? 'buffer' : prefix}${this.#next++}`;
    while (this.has(name));
    this.#all.unshift({ name, text, automatic: true, createdAtMs: nowMs });
    const buffers = this.#all.filter(({ automatic }) => automatic).slice(0, limit);
    this.#all = this.#all.filter((each) => !each.automatic || buffers.includes(each));
  }

  /** @throws TmuxError */
  rename(name: string | undefined, newName: string): void {
    const { text, createdAtMs, name: old } = this.find(name, 'unknown buffer: ');
    const at = this.#all.findIndex((each) => each.name === old);
    this.#all[at] = { name: newName, text, automatic: false, createdAtMs };
    this.#all = this.#all.filter((each, index) => each.name !== newName || index === at);
  }

  /** @throws TmuxError */
  remove(name: string | undefined): void {
    const buffer = this.find(name, 'unknown buffer: ');
    this.#all = this.#all.filter((each) => each !== buffer);
  }
}
