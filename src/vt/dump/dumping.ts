import type { TerminalState } from '../state/terminal-state.ts';
import { dumpHead, dumpScreens } from './dump.ts';
import { keptLines, type SavedLines, writeLines } from './saved-lines.ts';

export interface DumpOptions {
  /** How many complete lines above the screen are part of the dump, the last ones; default all. */
  readonly scrollbackLines?: number;
  /** Bytes of lines after which a slice ends; default 128 KiB. */
  readonly sliceBytes?: number;
}

export interface Snapshot {
  /** Output that makes a new terminal of this size, limits and first line equal to the dumped one. */
  readonly dump: Uint8Array;
  /** The first line of the new terminal. */
  readonly firstLine: number;
}

/** About half a millisecond. */
const defaultSliceBytes = 128 * 1024;

/**
 * A dump of a terminal in slices, so that a dump of many lines delays nothing else. The terminal may
 * be fed and resized between them.
 */
export class Dumping {
  readonly #t: TerminalState;
  readonly #pending: () => Uint8Array;
  readonly #maxLines: number;
  #sliceBytes: number;
  /** Lines in order, without gaps. */
  #lines: SavedLines[] = [];
  // When and for which width they were dumped.
  #revision = 0;
  #cols = 0;
  /** One past the last line above the screen at the last slice. */
  #end = Number.POSITIVE_INFINITY;

  /** @param pending see `Parser` */
  constructor(t: TerminalState, pending: () => Uint8Array, options: DumpOptions = {}) {
    this.#t = t;
    this.#pending = pending;
    this.#maxLines = options.scrollbackLines ?? Number.POSITIVE_INFINITY;
    this.#sliceBytes = options.sliceBytes ?? defaultSliceBytes;
  }

  /** Dumps a slice. The last one returns the terminal as it is then; the others return null. */
  next(): Snapshot | null {
    const t = this.#t;
    const { nextLine } = t.scrollback;
    const first = Math.max(t.scrollback.firstLine, nextLine - this.#maxLines);
    this.#forgetChanged(first);
    const from = this.#lines.at(-1)?.to ?? first;
    const slice = writeLines(t, from, nextLine, t.cols, this.#sliceBytes);
    this.#lines.push(slice);
    if (slice.to < nextLine) {
      // Otherwise a program that prints as fast would delay the end.
      if ((nextLine - this.#end) * 2 > slice.to - slice.from) this.#sliceBytes *= 2;
      this.#end = nextLine;
      return null;
    }
    const { parts } = keptLines(this.#lines, first, nextLine);
    return {
      dump: joined([dumpHead(t), ...parts, dumpScreens(t), this.#pending()]),
      firstLine: first,
    };
  }

  /**
   * Begins again if a resize changed lines that have been dumped, or if they are not the lines from
   * `first` on.
   */
  #forgetChanged(first: number): void {
    const { cols, revision, rewrites } = this.#t;
    const begin = this.#lines[0]?.from ?? first;
    const end = this.#lines.at(-1)?.to ?? first;
    const areSame = cols === this.#cols && rewrites.returnedAfter(this.#revision) >= end;
    if (!areSame || first < begin || first > end) {
      if (end > begin) this.#sliceBytes *= 2;
      this.#lines = [];
    }
    this.#cols = cols;
    this.#revision = revision;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
