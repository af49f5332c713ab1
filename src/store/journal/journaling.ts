import { join } from 'node:path';
import { type Clock, type Disposable, ignored } from '#base';
import { type Entry, journaledWith } from '../entry.ts';
import { Mark } from '../mark.ts';
import type { PendingChange } from '../pending-change.ts';
import type { Stamp } from '../session-files.ts';
import type { StoreFiles } from '../store-files.ts';
import {
  encodeRecord,
  type FoundJournals,
  JournalFiles,
  journalMarkName,
  maxBatchBytes,
  maxJournalBytes,
} from './journal-files.ts';

/** A change waits this long for those of other sessions, in ms. */
const gatherMs = 100;
/** The shortest time between the starts of two writes, in ms. */
const betweenWritesMs = 200;
/** A session that does not change for this long is written to its own files, in ms. */
export const settleMs = 10_000;

export interface JournalingParts {
  readonly files: StoreFiles;
  readonly directory: string;
  readonly clock: Clock;
  readonly stamp: () => Stamp;
  readonly entries: () => Iterable<Entry>;
  /** Takes what waits to be written of a session; the caller writes it, or gives it back. */
  readonly take: (entry: Entry) => PendingChange | null;
  readonly giveBack: (entry: Entry, change: PendingChange) => void;
  /** Writes a session to its own files, soon. */
  readonly settle: (entry: Entry) => void;
  readonly maxBytes?: number;
}

/**
 * Writes the changes of many sessions together: a session that changes again and again costs a part of one
 * write in place of several operations on its own files.
 */
export class Journaling {
  readonly #parts: JournalingParts;
  readonly #files: JournalFiles;
  readonly #mark: Mark;
  readonly #waiting = new Set<Entry>();
  /** Whether the mark is set; null if unknown. */
  #isWhole: boolean | null = false;
  #batch: Disposable | null = null;
  #sweep: Disposable | null = null;
  #startedMs = -Infinity;
  /** A write failed: nothing is written here until all sessions are in their own files. */
  #isBroken = false;
  /** Operations take place one after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(parts: JournalingParts) {
    const { files, directory } = parts;
    this.#parts = parts;
    this.#files = new JournalFiles(files, directory);
    this.#mark = new Mark(files, join(directory, journalMarkName));
  }

  get isUsable(): boolean {
    return !this.#isBroken;
  }

  /** Must be called with what is there before anything is written. */
  continueAfter(journals: FoundJournals): void {
    this.#files.continueAfter(journals);
    this.#isWhole = journals.isMarked;
  }

  /** Writes what waits of a session, soon. */
  add(entry: Entry): void {
    this.changed();
    this.#waiting.add(entry);
    this.#schedule();
  }

  /** Must be called before a session that is in a journal waits to be written, wherever. */
  changed(): void {
    if (this.#isWhole !== false) this.#setWhole(false);
  }

  /** Resolves when no write is under way. */
  get idle(): Promise<void> {
    return this.#last;
  }

  /** Must be called after a session was written to its own files, or was removed. */
  released(): void {
    this.#inTurn(async () => {
      const oldest = this.#oldest();
      if (oldest === null) this.#isBroken = false;
      if (oldest !== null) this.#noteWhole();
      else if (this.#isWhole !== false) {
        this.#setWhole(false);
        await this.#mark.settled;
      }
      await this.#files.removeBefore(oldest);
    });
  }

  close(): void {
    this.#batch?.dispose();
    this.#sweep?.dispose();
    this.#batch = null;
    this.#sweep = null;
    this.#waiting.clear();
  }

  #schedule(): void {
    if (this.#batch !== null || this.#waiting.size === 0) return;
    const { clock } = this.#parts;
    const delayMs = Math.max(gatherMs, this.#startedMs + betweenWritesMs - clock.nowMs());
    this.#batch = clock.schedule(delayMs, () => {
      this.#batch = null;
      this.#startedMs = clock.nowMs();
      this.#inTurn(() => this.#write());
    });
  }

  #inTurn(step: () => Promise<void>): void {
    this.#last = ignored(this.#last.then(step), 'the next step tries it again');
  }

  async #write(): Promise<void> {
    const entries = [...this.#waiting];
    this.#waiting.clear();
    const written: { readonly entry: Entry; readonly change: PendingChange; count: number }[] = [];
    const records: Uint8Array[] = [];
    try {
      await Promise.all(entries.map(({ files }) => files.mark.settled));
      await this.#mark.settled;
      let bytes = 0;
      for (const entry of entries) {
        if (bytes >= maxBatchBytes) this.#waiting.add(entry);
        // What waits of the others is written to their own files.
        if (bytes >= maxBatchBytes || !isForJournal(entry)) continue;
        const change = this.#parts.take(entry);
        if (change === null) continue;
        const count = entry.files.nextCount();
        written.push({ entry, change, count });
        const record = encodeRecord({ id: entry.id, count, stamp: this.#parts.stamp(), change });
        records.push(record);
        bytes += record.length;
      }
      if (bytes > 0) await this.#files.append(Buffer.concat(records));
    } catch {
      this.#break(entries, written);
      return;
    }
    const { number } = this.#files;
    for (const { entry, ...record } of written) {
      if (!entry.isRemoved) entry.journaled = journaledWith(entry.journaled, record, number);
    }
    if (this.#files.bytes > (this.#parts.maxBytes ?? maxJournalBytes)) this.#rotate();
    this.#noteWhole();
    this.#schedule();
    this.#sweepLater();
  }

  /** All sessions are written to their own files, whose errors are reported and tried again. */
  #break(
    entries: readonly Entry[],
    written: readonly { readonly entry: Entry; readonly change: PendingChange }[],
  ): void {
    this.#isBroken = true;
    this.#files.rotate();
    this.#setWhole(null);
    for (const { entry, change } of written) this.#parts.giveBack(entry, change);
    for (const entry of entries) entry.isWhole = null;
    for (const entry of [...entries, ...this.#waiting, ...this.#journaled()]) {
      this.#parts.settle(entry);
    }
    this.#waiting.clear();
    this.released();
  }

  #rotate(): void {
    this.#files.rotate();
    for (const entry of this.#journaled()) this.#parts.settle(entry);
  }

  #sweepLater(): void {
    const { clock } = this.#parts;
    if (this.#sweep !== null || this.#journaled().length === 0) return;
    this.#sweep = clock.schedule(settleMs / 2, () => {
      this.#sweep = null;
      const sinceMs = clock.nowMs() - settleMs;
      for (const entry of this.#journaled()) {
        if (entry.changedMs <= sinceMs) this.#parts.settle(entry);
      }
      this.#sweepLater();
    });
  }

  #journaled(): readonly Entry[] {
    return [...this.#parts.entries()].filter(({ journaled }) => journaled !== null);
  }

  /** Returns the oldest journal that a session needs; null if none does. */
  #oldest(): number | null {
    let oldest: number | null = null;
    for (const { journaled } of this.#parts.entries()) {
      if (journaled !== null) oldest = Math.min(oldest ?? Infinity, journaled.oldest);
    }
    return oldest;
  }

  #noteWhole(): void {
    if (this.#isWhole === true || this.#isBroken) return;
    const journaled = this.#journaled();
    if (journaled.length > 0 && journaled.every(isAllWritten)) this.#setWhole(true);
  }

  #setWhole(isWhole: boolean | null): void {
    this.#isWhole = isWhole;
    this.#mark.set(isWhole === true);
  }
}

const isAllWritten = ({ pending, isWriting, isPart }: Entry): boolean =>
  pending === null && !isWriting && !isPart;

/** A session that was removed, or whose files are being written or could not be, is not for a journal. */
export const isForJournal = ({ files, isWriting, isRemoved }: Entry): boolean =>
  files.isWritten && !isWriting && !isRemoved;
