import type { OutputChunk } from '../port.ts';
import { wholeReadBytes } from './read-scheduler.ts';

/** The first page grows up to this size, so that a session with little output needs little memory. */
const firstPageBytes = wholeReadBytes;
const leastPageBytes = 256;
const pageBytes = 64 * 1024;

/** The space for reads of all logs whose first page is not full. Nothing else runs between a read and its commit. */
const sharedRoom = new Uint8Array(wholeReadBytes);

interface Page {
  readonly offset: number;
  /** Replaced while the first page grows. */
  bytes: Uint8Array;
  used: number;
  /** Whether somebody may have a view of it. */
  isShared: boolean;
}

/**
 * A program's most recent output, by absolute offset. The kernel writes directly into its pages,
 * and nothing is copied, but for the first page. A page is filled once, from front to back. When it is dropped, its memory is
 * used again, unless somebody may have a view of it: a flood would otherwise make V8 collect garbage
 * each 7 MB.
 */
export class OutputLog implements Shrinkable {
  readonly #maxBytes: number;
  readonly #budget: LogBudget | null;
  /** Output from this offset on has not been delivered. */
  #keepFrom: number;
  readonly #pages: Page[];
  #last: Page;
  /** Memory of a page that was dropped. */
  #spare: Uint8Array | null = null;

  /**
   * @param maxBytes the newest bytes that are always kept; up to a page more is kept
   * @param start absolute offset of the first byte
   * @param budget for all logs; less than `maxBytes` is kept if it is exhausted
   */
  constructor(maxBytes: number, start = 0, budget: LogBudget | null = null) {
    this.#maxBytes = maxBytes;
    this.#budget = budget;
    this.#keepFrom = start;
    this.#last = pageOf(start, noMemory);
    this.#pages = [this.#last];
  }

  /** Absolute offset of the oldest byte kept. */
  get start(): number {
    return (this.#pages[0] ?? this.#last).offset;
  }

  /** Absolute offset of the next byte. */
  get end(): number {
    return this.#last.offset + this.#last.used;
  }

  /**
   * Returns the space for the next read, never empty. Only in the first page it can be smaller than `maxBytes`; that
   * space is shared by all logs, so the read must be committed before anything else happens.
   *
   * @param maxBytes at most {@link wholeReadBytes}
   */
  room(maxBytes = wholeReadBytes): Uint8Array {
    const leftInFirst = this.#leftInFirst;
    if (leftInFirst > 0) return sharedRoom.subarray(0, Math.min(maxBytes, leftInFirst));
    const isFull = this.#last.bytes.length - this.#last.used < wholeReadBytes;
    if (this.#isInFirst || isFull) this.#addPage();
    const { bytes, used } = this.#last;
    return bytes.subarray(used, Math.min(used + maxBytes, bytes.length));
  }

  /** @param count bytes at the front of {@link room} that are output now */
  commit(count: number): void {
    if (this.#isInFirst) this.append(sharedRoom.subarray(0, count));
    else this.#last.used += count;
  }

  /** Adds at most {@link pageBytes} of output, all of it in the same page. */
  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const end = this.#last.used + bytes.length;
    if (bytes.length <= this.#leftInFirst) this.#growFirst(end);
    else if (end > this.#last.bytes.length) this.#addPage();
    this.#last.bytes.set(bytes, this.#last.used);
    this.#last.used += bytes.length;
  }

  /**
   * Returns the output from `offset` on up to the end of a page, or up to `limit`; null if there is
   * none.
   *
   * @param isBrief whether the caller needs the bytes only until the next change of the log
   */
  chunkAt(offset: number, limit = Number.POSITIVE_INFINITY, isBrief = false): OutputChunk | null {
    if (offset >= Math.min(this.end, limit)) return null;
    const page = this.#pageAt(offset);
    if (page.offset >= limit) return null;
    if (!isBrief) page.isShared = true;
    const from = Math.max(offset, page.offset);
    const to = Math.min(page.used, limit - page.offset);
    return { offset: from, bytes: page.bytes.subarray(from - page.offset, to) };
  }

  /** Returns the output from `offset` on, page by page. */
  chunksFrom(offset: number): readonly OutputChunk[] {
    const chunks: OutputChunk[] = [];
    for (let at = offset; ; ) {
      const chunk = this.chunkAt(at);
      if (chunk === null) return chunks;
      chunks.push(chunk);
      at = chunk.offset + chunk.bytes.length;
    }
  }

  /** Drops the oldest pages beyond the limit, but no output from `keepFrom` on. */
  trim(keepFrom: number): void {
    const last = Math.min(keepFrom, this.end - this.#maxBytes);
    let dropped = 0;
    while (dropped < this.#pages.length - 1 && (this.#pages[dropped + 1]?.offset ?? 0) <= last) {
      dropped++;
    }
    this.#keepFrom = keepFrom;
    if (dropped === 0) return;
    for (const { bytes, isShared } of this.#pages.splice(0, dropped)) {
      if (!isShared && bytes.length === pageBytes) this.#spare = bytes;
    }
    this.#count();
  }

  shrink(): boolean {
    const next = this.#pages[1];
    if (next === undefined || next.offset > this.#keepFrom) return false;
    this.#pages.shift();
    this.#count();
    return true;
  }

  /** Releases its share of the budget. Nothing may be added afterwards. */
  dispose(): void {
    this.#budget?.delete(this);
    this.#spare = null;
  }

  /** The page of an offset; the oldest if that is no longer kept. */
  #pageAt(offset: number): Page {
    if (this.#last.offset <= offset) return this.#last;
    return this.#pages.findLast((page) => page.offset <= offset) ?? this.#pages[0] ?? this.#last;
  }

  get #isInFirst(): boolean {
    return this.#last.bytes.length < pageBytes;
  }

  /** What the first page can still take, in bytes; 0 in a later one. */
  get #leftInFirst(): number {
    if (!this.#isInFirst) return 0;
    return Math.min(firstPageBytes, Math.max(1, this.#maxBytes)) - this.#last.used;
  }

  /** A session that prints nothing needs no memory. Those who have a view of the smaller page keep it. */
  #growFirst(end: number): void {
    const { bytes } = this.#last;
    if (end <= bytes.length) return;
    const grown = newMemory(Math.min(firstPageBytes, Math.max(leastPageBytes, 2 * end)));
    grown.set(bytes);
    this.#last.bytes = grown;
  }

  #addPage(): void {
    this.#last = pageOf(this.end, this.#spare ?? newMemory(pageBytes));
    this.#spare = null;
    this.#pages.push(this.#last);
    this.#count();
  }

  #count(): void {
    const bytes = this.#pages.reduce((sum, page) => sum + page.bytes.length, 0);
    this.#budget?.set(this, bytes);
  }
}

const noMemory = new Uint8Array(0);

function pageOf(offset: number, bytes: Uint8Array): Page {
  return { offset, bytes, used: 0, isShared: false };
}

function newMemory(size: number): Uint8Array {
  // The memory need not be zeroed: only the committed part is ever read.
  const memory = Buffer.allocUnsafeSlow(size);
  return new Uint8Array(memory.buffer, memory.byteOffset, size);
}

/** A log that can do with less memory. */
export interface Shrinkable {
  /** Drops the oldest page. @returns whether there was one that nobody waits for */
  shrink(): boolean;
}

/** Limits the memory of all logs together. */
export class LogBudget {
  readonly #maxBytes: number;
  readonly #logs = new Map<Shrinkable, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Sets the memory that a log takes, in bytes. The largest logs shrink if it is too much. */
  set(log: Shrinkable, bytes: number): void {
    this.#bytes += bytes - (this.#logs.get(log) ?? 0);
    this.#logs.set(log, bytes);
    while (this.#bytes > this.#maxBytes && this.#largest()?.shrink());
  }

  delete(log: Shrinkable): void {
    this.#bytes -= this.#logs.get(log) ?? 0;
    this.#logs.delete(log);
  }

  #largest(): Shrinkable | undefined {
    let largest: Shrinkable | undefined;
    let most = 0;
    for (const [log, bytes] of this.#logs) {
      if (bytes <= most) continue;
      largest = log;
      most = bytes;
    }
    return largest;
  }
}
