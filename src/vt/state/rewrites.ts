/** The number of entries kept. Of all older entries together, only the topmost line is known. */
const maxKept = 256;

interface Rewrite {
  readonly revision: number;
  readonly line: number;
}

/** A copy of {@link Rewrites}. In each list, revisions and lines alternate. */
export interface SavedRewrites {
  readonly printed: readonly number[];
  readonly cleared: readonly number[];
  readonly returned: readonly number[];
  readonly furthest: number;
  /** As in {@link Clear}; null instead of Infinity. */
  readonly lastClear: { readonly number: number; readonly line: number | null } | null;
}

/** An erasure of the whole primary screen. */
export interface Clear {
  /** 1 for the first. */
  readonly number: number;
  /** The first line that contains only later output; Infinity if protected cells may remain. */
  readonly line: number;
}

/**
 * Records which lines were printed on after the cursor had been below them. Text printed since a
 * read mark is in the lines after the mark and in the lines recorded here: for example a progress
 * bar of several lines, or everything after the screen was cleared.
 */
export class Rewrites {
  readonly #printed = new TopmostLines();
  readonly #cleared = new TopmostLines();
  readonly #returned = new TopmostLines();
  /** The lowest line that the cursor ever reached. */
  #furthest = 0;
  #lastClear: Clear | null = null;

  /**
   * @param first the topmost line printed on in a revision; Infinity if none
   * @param cursor the line of the cursor after the revision; 0 during it
   */
  note(revision: number, first: number, cursor: number): void {
    if (first < this.#furthest) this.#printed.push(revision, first);
    if (cursor > this.#furthest) this.#furthest = cursor;
  }

  /**
   * @param top the line of the first row when the whole screen was erased
   * @param line see {@link Clear.line}
   */
  noteCleared(revision: number, top: number, line = top): void {
    this.#cleared.push(revision, top);
    this.#lastClear = { number: (this.#lastClear?.number ?? 0) + 1, line };
  }

  /** @param line a line that a resize moved from the scrollback back to the screen */
  noteReturned(revision: number, line: number): void {
    this.#returned.push(revision, line);
  }

  /** The topmost line that was printed on again after a revision; Infinity if none. */
  topmostAfter(revision: number): number {
    return this.#printed.after(revision);
  }

  /**
   * The line of the first row when the screen was first erased after a revision; Infinity if it was
   * not erased.
   */
  clearedAfter(revision: number): number {
    return this.#cleared.after(revision);
  }

  /** The last time the whole screen was erased; null if it never was. */
  get lastClear(): Clear | null {
    return this.#lastClear;
  }

  /** The topmost line that a resize moved back to the screen after a revision; Infinity if none. */
  returnedAfter(revision: number): number {
    return this.#returned.after(revision);
  }

  save(): SavedRewrites {
    const clear = this.#lastClear;
    return {
      printed: this.#printed.save(),
      cleared: this.#cleared.save(),
      returned: this.#returned.save(),
      furthest: this.#furthest,
      lastClear: clear && { ...clear, line: Number.isFinite(clear.line) ? clear.line : null },
    };
  }

  /** Replaces everything. */
  restore({ printed, cleared, returned, furthest, lastClear }: SavedRewrites): void {
    this.#printed.restore(printed);
    this.#cleared.restore(cleared);
    this.#returned.restore(returned);
    this.#furthest = furthest;
    this.#lastClear = lastClear && {
      ...lastClear,
      line: lastClear.line ?? Number.POSITIVE_INFINITY,
    };
  }
}

/**
 * Lines by revision, in rising order of both. An entry that is followed by a line further up is
 * redundant.
 */
class TopmostLines {
  readonly #list: Rewrite[] = [];

  push(revision: number, line: number): void {
    const list = this.#list;
    while (list.length > 0 && list[list.length - 1].line >= line) list.pop();
    list.push({ revision, line });
    if (list.length <= maxKept) return;
    const [oldest, next] = list.splice(0, 2);
    list.unshift({ revision: next.revision, line: oldest.line });
  }

  /** The topmost line after a revision; Infinity if none. */
  after(revision: number): number {
    // The last entries are requested most often.
    let at = this.#list.length;
    while (at > 0 && this.#list[at - 1].revision > revision) at--;
    return this.#list[at]?.line ?? Number.POSITIVE_INFINITY;
  }

  save(): number[] {
    return this.#list.flatMap(({ revision, line }) => [revision, line]);
  }

  restore(saved: readonly number[]): void {
    this.#list.length = 0;
    for (let at = 0; at + 1 < saved.length; at += 2) this.push(saved[at], saved[at + 1]);
  }
}

const firstCapacity = 3 * 16;
/** A larger list is released when it is cleared. A chunk of 4 KiB ends no more lines than this. */
const keptCapacity = 3 * 4096;
/** The largest list that is used again. A chunk of 64 KiB ends no more lines than this. */
const spareCapacity = 16 * keptCapacity;
/** The list that any terminal released last. Without it, a flood would allocate one for each chunk. */
let spare: Int32Array | null = null;

/** Which cells of which lines were printed to, in the order of the lines. */
export class PrintedLines {
  /** Line numbers are counted from {@link #first}: a flood reaches 2^31 lines in minutes. */
  #lines: Int32Array = new Int32Array(firstCapacity);
  #count = 0;
  /** The line of the first entry. */
  #first = 0;

  get count(): number {
    return this.#count;
  }

  /** Allocated memory in bytes. */
  get bytes(): number {
    return this.#lines.byteLength;
  }

  clear(): void {
    if (this.#lines.length > keptCapacity) {
      if (this.#lines.length <= spareCapacity) spare = this.#lines;
      this.#lines = new Int32Array(firstCapacity);
    }
    this.#count = 0;
  }

  /**
   * @param from first cell of the logical line
   * @param to one past the last cell
   */
  push(line: number, from: number, to: number): void {
    const at = this.#count * 3;
    if (at === this.#lines.length) this.#grow();
    if (at === 0) this.#first = line;
    this.#lines[at] = line - this.#first;
    this.#lines[at + 1] = from;
    this.#lines[at + 2] = to;
    this.#count++;
  }

  #grow(): void {
    const lines = this.#lines;
    let grown = lines.length >= keptCapacity ? spare : null;
    if (grown === null || grown.length <= lines.length) grown = new Int32Array(lines.length * 2);
    else spare = null;
    grown.set(lines);
    this.#lines = grown;
  }

  /** Three numbers for each entry, as {@link push} has them. */
  save(): number[] {
    const indexes = Array.from({ length: this.#count }, (_, index) => index);
    return indexes.flatMap((index) => [this.line(index), this.from(index), this.to(index)]);
  }

  line(index: number): number {
    return this.#first + this.#lines[index * 3];
  }

  from(index: number): number {
    return this.#lines[index * 3 + 1];
  }

  to(index: number): number {
    return this.#lines[index * 3 + 2];
  }
}
