import { type Disposable, Emitter, toDisposable } from '#base';
import type { ExitStatus } from '#model';
import type { OutputChunk, ReadOutputOptions, ReadTime, Step } from '../port.ts';
import { type LogBudget, OutputLog } from './output-log.ts';
import { wholeReadBytes } from './read-scheduler.ts';

/** The output of one program with its steps, and after them its exit. */
export class ProgramOutput {
  /** Resolves when the exit is announced. */
  readonly exit: Promise<ExitStatus>;
  readonly #log: OutputLog;
  readonly #readers: OutputReaders;
  readonly #stepListeners: Emitter<Step>;
  readonly #exitListeners: Emitter<ExitStatus>;
  readonly #onListenerError: (error: unknown) => void;
  readonly #pins = new Set<{ readonly offset: number }>();
  /** Steps that readers have not reached, in order. */
  #steps: readonly Step[] = [];
  #stepsDelivered: number;
  #status: ExitStatus | null = null;
  #exitedAtMs = 0;
  #announced = false;
  #resolveExit: (status: ExitStatus) => void = () => {};

  /**
   * @param logBytes output kept for late readers, in bytes
   * @param start absolute offset of the first byte, and the number of steps before it
   * @param budget for the logs of all programs
   */
  constructor(
    logBytes: number,
    onListenerError: (error: unknown) => void,
    start: { readonly offset: number; readonly steps: number } = { offset: 0, steps: 0 },
    budget: LogBudget | null = null,
  ) {
    this.#stepsDelivered = start.steps;
    this.#log = new OutputLog(logBytes, start.offset, budget);
    this.#readers = new OutputReaders(this.#log, onListenerError);
    this.#stepListeners = new Emitter(onListenerError);
    this.#exitListeners = new Emitter(onListenerError);
    this.#onListenerError = onListenerError;
    this.exit = new Promise((resolve) => {
      this.#resolveExit = resolve;
    });
  }

  /** Absolute offset of the oldest byte that is kept. */
  get start(): number {
    return this.#log.start;
  }

  /** Absolute offset of the next byte. */
  get end(): number {
    return this.#log.end;
  }

  get paused(): boolean {
    return this.#readers.paused;
  }

  /** Contract: {@link OutputLog.room}. */
  room(maxBytes = wholeReadBytes): Uint8Array {
    return this.#log.room(maxBytes);
  }

  /** @param count bytes at the front of {@link room} that are output now */
  deliver(count: number): void {
    this.#log.commit(count);
    this.#advance();
    this.#trim();
  }

  /** Adds output, which readers that have all output before it receive in one piece. */
  append(bytes: Uint8Array, readAt: ReadTime): void {
    this.#readers.noteTime(this.end, readAt);
    this.#log.append(bytes);
    this.#advance();
    this.#trim();
  }

  /** Keeps the output that is in the log now. @returns a function that stops it */
  pin(): () => void {
    const pin = { offset: this.#log.start };
    this.#pins.add(pin);
    return () => {
      this.#pins.delete(pin);
      this.#trim();
    };
  }

  /** The offset up to which every reader has all output. */
  get deliveredTo(): number {
    return this.#readers.deliveredTo;
  }

  /** Contract: `Pty.readOutput`. */
  read(
    from: number,
    listener: (chunk: OutputChunk) => void,
    options: ReadOutputOptions = {},
  ): Disposable {
    const reader = this.#readers.add(from, listener, options);
    this.#advance();
    this.#announceExit();
    return reader;
  }

  /** Returns the output from an offset on that is in the log. */
  chunksFrom(offset: number): readonly OutputChunk[] {
    return this.#log.chunksFrom(offset);
  }

  /** Adds a step at its offset, which must be the end of the output. */
  addStep(step: Step): void {
    this.#steps = [...this.#steps, step];
    this.#advance();
  }

  /** Contract: `Pty.stepsDelivered`. */
  get stepsDelivered(): number {
    return this.#stepsDelivered;
  }

  /** Counts a note that the reader made. */
  countNote(): void {
    this.#stepsDelivered++;
  }

  /** Contract: `Pty.onStep`. */
  onStep(listener: (step: Step) => void): Disposable {
    return this.#stepListeners.on(listener);
  }

  pause(): void {
    this.#readers.pause();
  }

  /** @returns whether output flows again; a listener may have paused it again meanwhile */
  resume(): boolean {
    this.#readers.resume();
    this.#advance();
    this.#trim();
    this.#announceExit();
    return !this.#readers.paused;
  }

  /** Contract: `Pty.forget`. */
  forget(): void {
    this.#log.dispose();
  }

  /** Contract: `Pty.exitedAtMs`. */
  get exitedAtMs(): number | null {
    return this.#announced ? this.#exitedAtMs : null;
  }

  /**
   * No output follows. Announces the exit as soon as all readers have the last byte.
   *
   * @param atMs when the program exited, in ms since 1970
   */
  finish(status: ExitStatus, atMs = Date.now()): void {
    this.#status = status;
    this.#exitedAtMs = atMs;
    this.#announceExit();
  }

  /** Contract: `Pty.onExit`. */
  onExit(listener: (status: ExitStatus) => void): Disposable {
    if (!this.#announced) return this.#exitListeners.on(listener);
    const late = new Emitter<ExitStatus>(this.#onListenerError);
    const subscription = late.on(listener);
    void this.exit.then((status) => late.emit(status));
    return subscription;
  }

  /** Delivers output and steps in their order, as far as possible. */
  #advance(): void {
    for (;;) {
      const [step] = this.#steps;
      this.#readers.deliver(step?.offset ?? Number.POSITIVE_INFINITY);
      // A listener may have added a step or delivered this one.
      if (step !== this.#steps[0]) continue;
      if (step === undefined || this.#readers.paused) return;
      // A listener may call this during a delivery. It is called again after the delivery.
      if (this.#readers.deliveredTo < step.offset) return;
      this.#steps = this.#steps.slice(1);
      this.#stepsDelivered++;
      this.#stepListeners.emit(step);
    }
  }

  #announceExit(): void {
    if (this.#announced || this.#status === null || this.#readers.paused) return;
    // A listener may call this during a delivery. It is called again after the delivery.
    if (this.#steps.length > 0 || this.#readers.deliveredTo < this.#log.end) return;
    this.#announced = true;
    this.#exitListeners.emit(this.#status);
    this.#resolveExit(this.#status);
  }

  #trim(): void {
    let keepFrom = this.#readers.deliveredTo;
    for (const { offset } of this.#pins) keepFrom = Math.min(keepFrom, offset);
    this.#log.trim(keepFrom);
  }
}

interface Reader {
  /** Absolute offset of the next byte to deliver. */
  position: number;
  readonly listener: (chunk: OutputChunk) => void;
  /** Whether it copies what it keeps. */
  readonly copies: boolean;
  delivering: boolean;
}

/** Delivers a log to its readers, to each from its own offset on. */
class OutputReaders {
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
