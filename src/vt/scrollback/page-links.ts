import { bytesOfLink, type LinkTable, noLink } from '../style/link-table.ts';

/**
 * The links of the lines of a page, by numbers of its own, so that they are kept as long as the lines,
 * and dropped with them.
 */
export class PageLinks {
  readonly #table: LinkTable;
  /** By number - 1: keys of {@link LinkTable}. */
  #keys: string[] = [];
  readonly #numbers = new Map<string, number>();
  #bytes = 0;
  #lineBytes = 0;

  /** @param table the links of the screens */
  constructor(table: LinkTable) {
    this.#table = table;
  }

  /** Approximate memory in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of the links of the open line's runs, each time that a run has one. */
  get lineBytes(): number {
    return this.#lineBytes;
  }

  /** Returns the number of a link of the screens, or {@link noLink} if it was dropped there. */
  add(link: number): number {
    const key = this.#table.key(link);
    if (key === null) return noLink;
    this.#lineBytes += key.length;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#bytes += bytesOfLink + key.length;
    this.#numbers.set(key, this.#keys.push(key));
    return this.#keys.length;
  }

  /** The key of a link of this page; null for {@link noLink}. */
  key(number: number): string | null {
    // An index of -1 would be looked up as a name.
    return number === noLink ? null : (this.#keys[number - 1] ?? null);
  }

  /** By number - 1. */
  get keys(): readonly string[] {
    return this.#keys;
  }

  /** Adds the links of a page that was packed, under the same numbers. */
  restore(keys: readonly string[]): void {
    for (const key of keys) this.#numbers.set(key, this.#keys.push(key));
    this.#bytes += keys.reduce((sum, key) => sum + bytesOfLink + key.length, 0);
  }

  /** Returns the number of a link of this page on the screens. */
  toScreen(number: number): number {
    const key = this.key(number);
    return key === null ? noLink : this.#table.intern(key);
  }

  endLine(): void {
    this.#lineBytes = 0;
  }

  clear(): void {
    this.#lineBytes = 0;
    this.#keys = [];
    this.#numbers.clear();
    this.#bytes = 0;
  }
}
