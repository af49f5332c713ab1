/** A hyperlink of a cell (OSC 8). */
export interface Link {
  readonly uri: string;
  /** Cells with the same URI and id are parts of one link; empty if not set. */
  readonly id: string;
}

/** The number that means no link. */
export const noLink = 0;
/** Maximum number of links on the screens. When a link is begun beyond it, the oldest are dropped. */
const maxLinks = 8192;
/** Approximate bytes per link, apart from its text. */
export const bytesOfLink = 120;
/** Maximum length of all links together, in ASCII characters. */
const maxTotalLength = 1024 * 1024;
/** Cells have 19 bits for the number. */
const maxNumber = 0x7_ffff;
/** Dropping makes room for this part of the links, so that it is rarely necessary. */
const droppedPart = 1 / 4;

/**
 * The hyperlinks of the cells of all screens, each stored once, in the order in which they were last
 * begun. Cells refer to them by number. The number of a dropped link is not reused while a cell has it.
 * Lines above the screen have their links with them; see `PageLinks`.
 */
export class LinkTable {
  /** By number: URI and id in one string, so that they are stored once; null if unused. */
  readonly #keys: (string | null)[] = [null];
  readonly #numbers = new Map<string, number>();
  #free: number[] = [];
  /** Numbers of links that were dropped while cells had them. */
  readonly #dropped = new Set<number>();
  #totalLength = 0;

  /** Number of stored links. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Approximate allocated memory in bytes. */
  get bytes(): number {
    return this.size * bytesOfLink + this.#totalLength;
  }

  /** Whether there are more links than are kept. */
  get isFull(): boolean {
    return this.size > maxLinks || this.#totalLength > maxTotalLength;
  }

  /** Returns null for {@link noLink} and for a dropped link. */
  get(number: number): Link | null {
    const key = this.key(number);
    return key === null ? null : linkOf(key);
  }

  /** The URI and the id in one string; null as for {@link get}. */
  key(number: number): string | null {
    return this.#keys[number] ?? null;
  }

  /** Returns the number of a link, which becomes the newest. */
  begin(uri: string, id: string): number {
    const key = `${uri}${separator}${id}`;
    const number = this.intern(key);
    if (this.#numbers.delete(key)) this.#numbers.set(key, number);
    return number;
  }

  /** Returns the number of the link with a key, or {@link noLink} if all numbers are in use. */
  intern(key: string): number {
    const index = this.#numbers.get(key);
    if (index !== undefined) return index;
    const number = this.#free.pop() ?? this.#keys.length;
    if (number > maxNumber) return noLink;
    this.#keys[number] = key;
    this.#numbers.set(key, number);
    this.#totalLength += key.length;
    return number;
  }

  /** Removes the links that are not in use, and then the oldest if there are still too many. */
  retain(used: ReadonlySet<number>): void {
    for (const number of this.#dropped) {
      if (used.has(number)) continue;
      this.#dropped.delete(number);
      this.#free.push(number);
    }
    for (const [key, number] of this.#numbers) {
      if (used.has(number)) continue;
      this.#remove(key, number);
      this.#free.push(number);
    }
    if (this.isFull) this.#dropOldest();
  }

  #dropOldest(): void {
    const share = 1 - droppedPart;
    for (const [key, number] of this.#numbers) {
      if (this.size <= maxLinks * share && this.#totalLength <= maxTotalLength * share) return;
      this.#remove(key, number);
      this.#dropped.add(number);
    }
  }

  #remove(key: string, number: number): void {
    this.#keys[number] = null;
    this.#numbers.delete(key);
    this.#totalLength -= key.length;
  }
}

/** Occurs in neither part. */
const separator = ' ';

/** The link with a key of the table. */
export function linkOf(key: string): Link {
  const at = key.indexOf(separator);
  return { uri: key.slice(0, at), id: key.slice(at + 1) };
}

/** Returns the sequence that begins a link, or ends one. */
export function linkSequence(link: Link | null): string {
  if (link === null) return '\x1b]8;;\x1b\\';
  return `\x1b]8;${link.id === '' ? '' : `id=${link.id}`};${link.uri}\x1b\\`;
}
