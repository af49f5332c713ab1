/** Where a cell leads to (OSC 8). */
export interface Link {
  readonly uri: string;
  /** What tells apart links to the same place, or holds parts of one together; empty for none. */
  readonly id: string;
}

/** The number of no link. */
export const noLink = 0;
/** More links than this at a time are not made; the text is there without them. */
const maxLinks = 8192;
/** What a link takes besides its text, in bytes, roughly. */
const bytesOfLink = 120;
/** Of all links at a time, in characters of ASCII. */
const maxTotalLength = 1024 * 1024;

/**
 * The links that cells lead to, each kept once. Cells refer to them by numbers that stay as long as
 * anything does; numbers that nothing refers to any more are given again.
 */
export class LinkTable {
  /** By number: URI and id as one text, so that it is there once; null for none. */
  readonly #keys: (string | null)[] = [null];
  readonly #numbers = new Map<string, number>();
  #free: number[] = [];
  #totalLength = 0;
  #refused = false;

  /** Links that are kept. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Memory held, in bytes, roughly. */
  get bytes(): number {
    return this.size * bytesOfLink + this.#totalLength;
  }

  /** A link was refused for want of room since the last {@link retain}. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Null for {@link noLink}. */
  get(number: number): Link | null {
    const key = this.#keys[number] ?? null;
    return key === null ? null : linkOf(key);
  }

  /** The number of a link; {@link noLink} where there is no room for it. */
  intern(uri: string, id: string): number {
    const key = `${uri}${separator}${id}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.size === maxLinks || this.#totalLength + key.length > maxTotalLength) {
      this.#refused = true;
      return noLink;
    }
    const number = this.#free.pop() ?? this.#keys.length;
    this.#keys[number] = key;
    this.#numbers.set(key, number);
    this.#totalLength += key.length;
    return number;
  }

  /** Forgets the links that are not in use. */
  retain(used: ReadonlySet<number>): void {
    this.#refused = false;
    for (const [key, number] of this.#numbers) {
      if (used.has(number)) continue;
      this.#keys[number] = null;
      this.#numbers.delete(key);
      this.#free.push(number);
      this.#totalLength -= key.length;
    }
  }
}

/** Stands in neither part. */
const separator = ' ';

function linkOf(key: string): Link {
  const at = key.indexOf(separator);
  return { uri: key.slice(0, at), id: key.slice(at + 1) };
}

/** The sequence that begins a link, or ends one. */
export function linkSequence(link: Link | null): string {
  if (link === null) return '\x1b]8;;\x1b\\';
  return `\x1b]8;${link.id === '' ? '' : `id=${link.id}`};${link.uri}\x1b\\`;
}
