/** A hyperlink of a cell (OSC 8). */
export interface Link {
  readonly uri: string;
  /** Cells with the same URI and id are parts of one link; empty if not set. */
  readonly id: string;
}

/** The number that means no link. */
export const noLink = 0;
/** Maximum number of links. Beyond it, text is printed without its link. */
const maxLinks = 8192;
/** Approximate bytes per link, apart from its text. */
const bytesOfLink = 120;
/** Maximum length of all links together, in ASCII characters. */
const maxTotalLength = 1024 * 1024;

/**
 * The hyperlinks of all cells, each stored once. Cells refer to them by number. A number stays
 * valid while anything refers to it. After that it is reused.
 */
export class LinkTable {
  /** By number: URI and id in one string, so that they are stored once; null if unused. */
  readonly #keys: (string | null)[] = [null];
  readonly #numbers = new Map<string, number>();
  #free: number[] = [];
  #totalLength = 0;
  #refused = false;

  /** Number of stored links. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Approximate allocated memory in bytes. */
  get bytes(): number {
    return this.size * bytesOfLink + this.#totalLength;
  }

  /** Whether a link was refused since the last {@link retain} because the table was full. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Returns null for {@link noLink}. */
  get(number: number): Link | null {
    const key = this.#keys[number] ?? null;
    return key === null ? null : linkOf(key);
  }

  /** Returns the number of a link, or {@link noLink} if the table is full. */
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

  /** Removes the links that are not in use. */
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

/** Occurs in neither part. */
const separator = ' ';

function linkOf(key: string): Link {
  const at = key.indexOf(separator);
  return { uri: key.slice(0, at), id: key.slice(at + 1) };
}

/** Returns the sequence that begins a link, or ends one. */
export function linkSequence(link: Link | null): string {
  if (link === null) return '\x1b]8;;\x1b\\';
  return `\x1b]8;${link.id === '' ? '' : `id=${link.id}`};${link.uri}\x1b\\`;
}
