import { type Disposable, toDisposable } from '#base';
import type { OutputChunk, ReadOutputOptions, ReadTime } from '../port.ts';
import type { OutputLog } from './output-log.ts';

interface Reader {
  /** Absolute offset of the next byte to deliver. */
  position: number;
  readonly listener: (chunk: OutputChunk) => void;
  /** Whether it copies what it keeps. */
  readonly copies: boolean;
  delivering: boolean;
}

/** Delivers a log to its readers, to each from its own offset on. */
export class OutputReaders {
  readonly #log: OutputLog;
  readonly #onListenerError: (error: unknown) => void;
  // Replaced, never changed in place: a listener may add or remove readers.
  #readers: readonly Reader[] = [];
  #paused = false;
  /** When the output from an offset on was read; null if it is read now. */
  #lastRead: { readonly offset: number; readonly readAt: ReadTime } | null = null;

  constructor(log: OutputLog, onListenerError: (error: unknown) => void) {
    this.#log = log;
    this.#onListenerError = onListenerError;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** The offset up to which every reader has all output. */
  get deliveredTo(): number {
    return this.#readers.reduce((low, each) => Math.min(low, each.position), this.#log.end);
  }

  /** Must be called before output that was not read now is added to the log, with its offset. */
  noteTime(offset: number, readAt: ReadTime): void {
    this.#lastRead = { offset, readAt };
  }

  /** Adds a reader, which has no output until {@link deliver} is called. */
  add(
    from: number,
    listener: (chunk: OutputChunk) => void,
    { copies = false }: ReadOutputOptions,
  ): Disposable {
    const reader: Reader = { position: from, listener, copies, delivering: false };
    this.#readers = [...this.#readers, reader];
    return toDisposable(() => this.#remove(reader));
  }

  /** Delivers to every reader up to the offset `limit` or the end of the log, unless paused. */
  deliver(limit: number): void {
    for (const reader of this.#readers) this.#deliverTo(reader, limit);
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
  }

  #deliverTo(reader: Reader, limit: number): void {
    // A listener that resumes or adds a reader re-enters this method; the outer loop continues.
    if (reader.delivering) return;
    reader.delivering = true;
    try {
      while (!this.#paused && this.#readers.includes(reader)) {
        const chunk = this.#log.chunkAt(reader.position, limit, reader.copies);
        if (chunk === null) break;
        reader.listener(this.#withTime(chunk));
        reader.position = chunk.offset + chunk.bytes.length;
      }
    } catch (error) {
      this.#remove(reader);
      this.#onListenerError(error);
    } finally {
      reader.delivering = false;
    }
  }

  #withTime(chunk: OutputChunk): OutputChunk {
    const last = this.#lastRead;
    return last === null || chunk.offset < last.offset ? chunk : { ...chunk, readAt: last.readAt };
  }

  #remove(reader: Reader): void {
    this.#readers = this.#readers.filter((each) => each !== reader);
  }
}
