/** So many are kept; of older ones only the topmost line is known. */
const maxKept = 256;

interface Rewrite {
  readonly revision: number;
  readonly line: number;
}

/**
 * Which lines were printed on after the cursor had been further down. What a reader has not seen yet is the
 * lines from its mark on, and what this tells besides: a progress bar of several lines, or all that
 * came after the screen was cleared.
 */
export class Rewrites {
  readonly #printed = new TopmostLines();
  readonly #cleared = new TopmostLines();
  /** The furthest down that the cursor ever was. */
  #furthest = 0;

  /**
   * @param first the topmost line that was printed on in a revision; Infinity for none
   * @param cursor the line that the cursor was in afterwards
   */
  note(revision: number, first: number, cursor: number): void {
    if (first < this.#furthest) this.#printed.push(revision, first);
    if (cursor > this.#furthest) this.#furthest = cursor;
  }

  /** @param top the line of the first row, when the whole screen was erased */
  noteCleared(revision: number, top: number): void {
    this.#cleared.push(revision, top);
  }

  /** The topmost line that was printed on again after a revision; Infinity for none. */
  topmostAfter(revision: number): number {
    return this.#printed.after(revision);
  }

  /** Where the screen began when it was first erased after a revision; Infinity where it was not. */
  clearedAfter(revision: number): number {
    return this.#cleared.after(revision);
  }
}

/** Lines by revision, rising in both: what is followed by a line further up tells nothing more. */
class TopmostLines {
  readonly #kept: Rewrite[] = [];

  push(revision: number, line: number): void {
    const kept = this.#kept;
    while (kept.length > 0 && kept[kept.length - 1].line >= line) kept.pop();
    kept.push({ revision, line });
    if (kept.length <= maxKept) return;
    const [oldest, next] = kept.splice(0, 2);
    kept.unshift({ revision: next.revision, line: oldest.line });
  }

  /** The topmost one after a revision; Infinity for none. */
  after(revision: number): number {
    // The last ones are asked for most.
    let at = this.#kept.length;
    while (at > 0 && this.#kept[at - 1].revision > revision) at--;
    return this.#kept[at]?.line ?? Number.POSITIVE_INFINITY;
  }
}
