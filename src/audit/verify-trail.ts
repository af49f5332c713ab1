import { basename } from 'node:path';
import { ioErrors } from '#model';
import { beginning, type ChainedLine, chainedLine, chainOf, type Link } from './chain.ts';
import type { AuditEntry } from './entry.ts';
import { linesOf, parsed } from './read-trail.ts';
import { maxFiles, nameOf, trailFiles } from './trail.ts';

/** A place at which a trail is not as it was written. */
export interface Break {
  /** The name of the file. */
  readonly file: string;
  /** From 1 on; null: the file itself is missing. */
  readonly line: number | null;
  readonly seq: number | null;
  /** As the entry says; null if it has none. */
  readonly time: string | null;
  readonly why: string;
}

/** What {@link verifyTrail} finds. */
export interface TrailCheck {
  /** Entries with a hash. */
  readonly entries: number;
  /** Entries before these, which an earlier version of vtr wrote without a hash. */
  readonly unchained: number;
  /** Lines that are not whole, because their writer was killed or the disk was full. */
  readonly damaged: number;
  /** How many entries could not be written, as the entries `gap` say. */
  readonly lost: number;
  /** How often an entry follows another one than the last: two daemons wrote at the same time. */
  readonly forks: number;
  readonly oldest: Link | null;
  readonly newest: Link | null;
  /** Whether there is an entry with the hash that was asked about; null if none was. */
  readonly hasEntry: boolean | null;
  /** In the order of the files. */
  readonly breaks: readonly Break[];
}

/**
 * Compares each entry of a trail, which may be being written, with its hash. It cannot find that the newest entries
 * were removed while no daemon ran, nor that all hashes were made anew.
 *
 * @param hash the hash of an entry that the trail had before
 * @throws VtrError IO_ERROR
 */
export function verifyTrail(directory: string, hash?: string): TrailCheck {
  const files = ioErrors(directory, 'read', () => trailFiles(directory));
  const verifier = new Verifier(hash);
  for (const name of missingFiles(files)) verifier.lacks(name);
  for (const file of files) {
    let number = 0;
    for (const { text } of linesOf(file, 0, file === files.at(-1))) {
      number++;
      if (text !== '') verifier.line(basename(file), number, text);
    }
  }
  return verifier.result();
}

/** The limit of a trail removes a file only when there are eight newer ones. */
function missingFiles(files: readonly string[]): string[] {
  const numbers = files.map((file) => Number.parseInt(basename(file), 10));
  const newest = numbers.at(-1) ?? 0;
  const first = Math.max(1, newest - maxFiles + 1);
  const expected = Array.from({ length: newest - first + 1 }, (_, index) => first + index);
  return expected.filter((each) => !numbers.includes(each)).map(nameOf);
}

/** How far back an entry may follow one, if two daemons write at the same time. In entries. */
const maxForkLength = 4096;

class Verifier {
  readonly #hash: string | undefined;
  #hasEntry = false;
  #entries = 0;
  #unchained = 0;
  #damaged = 0;
  #lost = 0;
  #forks = 0;
  #oldest: Link | null = null;
  #newest: Link | null = null;
  readonly #breaks: Break[] = [];
  /** The newest entries, in their order: number by hash. */
  readonly #recent = new Map<string, number>([[beginning.chain, beginning.seq]]);

  constructor(hash: string | undefined) {
    this.#hash = hash;
  }

  result(): TrailCheck {
    return {
      entries: this.#entries,
      unchained: this.#unchained,
      damaged: this.#damaged,
      lost: this.#lost,
      forks: this.#forks,
      oldest: this.#oldest,
      newest: this.#newest,
      hasEntry: this.#hash === undefined ? null : this.#hasEntry,
      breaks: this.#breaks,
    };
  }

  lacks(file: string): void {
    this.#breaks.push({ file, line: null, seq: null, time: null, why: 'the file is missing' });
  }

  /** @param text null if it is too long */
  line(file: string, line: number, text: string | null): void {
    const entry = text === null ? null : parsed(text);
    if (text === null || entry === null) {
      this.#damaged++;
      return;
    }
    const chained = chainedLine(text);
    const why = chained === null ? this.#withoutHash() : this.#follows(chained, file);
    if (why !== null) {
      this.#breaks.push({ file, line, seq: chained?.seq ?? null, time: String(entry.time), why });
    }
    if (chained !== null) this.#take(chained, entry);
  }

  #withoutHash(): string | null {
    if (this.#newest !== null) {
      return 'it has no hash: it was put in, or an earlier version of vtr wrote it';
    }
    this.#unchained++;
    return null;
  }

  /** Returns why a line is not what was written after those before it; null if it is. */
  #follows({ seq, prev, chain, body }: ChainedLine, file: string): string | null {
    const isAfter = (before: string) => chainOf(before, body) === chain;
    if (this.#newest === null) {
      if (seq === 1 && isAfter(beginning.chain)) return null;
      // The limit of the trail has removed the files before this one.
      const isCut = this.#unchained === 0 && file !== nameOf(1);
      if (isCut && prev !== null && isAfter(prev)) return null;
      return isAfter(prev ?? '') || seq > 1 ? missing(seq - 1) : changed;
    }
    if (isAfter(this.#newest.chain)) return null;
    if (this.#recent.has(chain)) return 'it is there twice';
    const others = [...this.#recent].filter(([, number]) => number === seq - 1);
    if (others.some(([before]) => isAfter(before))) {
      this.#forks++;
      return null;
    }
    const skipped = seq - this.#newest.seq - 1;
    if (skipped < 0) return 'it is not in its order, or was put in';
    return skipped > 0 ? missing(skipped) : changed;
  }

  #take({ seq, chain }: Link, { action, details }: AuditEntry): void {
    const link = { seq, chain };
    this.#entries++;
    this.#oldest ??= link;
    this.#newest = link;
    if (action === 'gap') this.#lost += Number(details?.['lost'] ?? 0);
    if (this.#hash !== undefined && chain.startsWith(this.#hash)) this.#hasEntry = true;
    this.#recent.set(chain, seq);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > maxForkLength && oldest !== undefined) this.#recent.delete(oldest);
  }
}

const changed = 'it is not as it was written';

const missing = (count: number): string =>
  count === 1 ? 'the entry before it is missing' : `${count} entries before it are missing`;
