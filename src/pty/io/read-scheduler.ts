import { type Disposable, Queue, toDisposable } from '#base';
import { flow } from '#model';

const { sliceMs } = flow.reading;
const { maxHoldMs, minHoldMs, share } = flow.echoes;

export const { wholeReadBytes, sharedReadBytes } = flow.reading;

/** The event loop, as what shares it uses it; a test gives its own. */
export interface EventLoop {
  nowMs(): number;
  /** Calls back after the other events that are ready. */
  afterTurn(callback: () => void): void;
  /** Calls back after `delayMs`. */
  after(delayMs: number, callback: () => void): Disposable;
}

export const nodeLoop: EventLoop = {
  nowMs: () => performance.now(),
  afterTurn: (callback) => void setImmediate(callback),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return toDisposable(() => clearTimeout(timer));
  },
};

/**
 * Holds floods from an input until its echo. A person waits for the echo; beside floods it waits for a processor. The
 * time is taken from a budget, so that somebody who types without end does not stop the floods.
 */
export class EchoHold<Source> {
  readonly #loop: EventLoop;
  readonly #onEnd: () => void;
  /** Those whose echo has not come. */
  readonly #awaited = new Set<Source>();
  #timer: Disposable | null = null;
  /** What floods may still be held, in ms, at a time; negative if a timer was late. */
  #leftMs = maxHoldMs;
  #atMs = 0;

  /** @param onEnd called when floods may go on */
  constructor(loop: EventLoop, onEnd: () => void) {
    this.#loop = loop;
    this.#onEnd = onEnd;
  }

  get isOn(): boolean {
    return this.#timer !== null;
  }

  /** Input was written for a source. */
  typed(source: Source): void {
    if (!this.isOn) {
      this.#earn();
      if (this.#leftMs < minHoldMs) return;
      this.#timer = this.#loop.after(this.#leftMs, () => this.#end());
    }
    this.#awaited.add(source);
  }

  /** A source has had output. */
  shown(source: Source): void {
    if (this.#awaited.delete(source) && this.#awaited.size === 0) this.#end();
  }

  #end(): void {
    this.#timer?.dispose();
    this.#timer = null;
    this.#awaited.clear();
    const heldMs = this.#loop.nowMs() - this.#atMs;
    this.#earn();
    this.#leftMs -= heldMs;
    this.#onEnd();
  }

  #earn(): void {
    const nowMs = this.#loop.nowMs();
    this.#leftMs = Math.min(maxHoldMs, this.#leftMs + (nowMs - this.#atMs) * share);
    this.#atMs = nowMs;
  }
}

/**
 * Shares the event loop among terminals with much output (flooding terminals). They get time slices
 * of {@link sliceMs} in round-robin order. Timers, input and terminals with little output run in
 * between.
 *
 * A flooding terminal is not read outside of its slice, so its program blocks and uses no CPU:
 * eight programs that write at once would leave this process two ninths of two cores, and delay it
 * by 20 ms at a time.
 */
export class ReadScheduler {
  readonly #loop: EventLoop;
  readonly #waiting = new Queue<ScheduledReader>();
  #holder: ScheduledReader | null = null;
  #limit: Disposable | null = null;
  #slice = 0;
  #isBeginPlanned = false;
  readonly #hold: EchoHold<ScheduledReader>;

  constructor(loop: EventLoop = nodeLoop) {
    this.#loop = loop;
    this.#hold = new EchoHold(loop, () => {
      if (this.#holder === null) this.#beginSoon();
    });
  }

  /** Whether no flood is read, because an echo is awaited. */
  get isHeld(): boolean {
    return this.#hold.isOn;
  }

  /** Input was written to a terminal that does not flood: floods next to it wait for its echo. */
  typed(reader: ScheduledReader): void {
    if (this.isSharedFor(reader)) this.#hold.typed(reader);
  }

  /** A terminal has had output. */
  shown(reader: ScheduledReader): void {
    if (this.#hold.isOn) this.#hold.shown(reader);
  }

  /** The number of the current slice. */
  get slice(): number {
    return this.#slice;
  }

  /** The part of a slice that a terminal which does not flood may use, in ms. */
  get shareMs(): number {
    return sliceMs / (1 + this.#waiting.length);
  }

  nowMs(): number {
    return this.#loop.nowMs();
  }

  /** Returns whether a terminal floods next to the reader's. */
  isSharedFor(reader: ScheduledReader): boolean {
    return this.#waiting.length > 0 || (this.#holder !== null && this.#holder !== reader);
  }

  /** Returns whether the current slice is the reader's. */
  isHeldBy(reader: ScheduledReader): boolean {
    return this.#holder === reader;
  }

  /** Puts a reader at the end of the queue, and calls its `begin` when its slice begins. */
  enqueue(reader: ScheduledReader): void {
    this.#waiting.push(reader);
    if (this.#holder === reader) this.#end();
    else if (this.#holder === null && this.#waiting.length === 1) this.#beginSoon();
    else this.#limitSlice();
  }

  #beginSoon(): void {
    if (this.#isBeginPlanned) return;
    this.#isBeginPlanned = true;
    this.#loop.afterTurn(() => {
      this.#isBeginPlanned = false;
      if (this.#holder === null && !this.isHeld) this.#begin();
    });
  }

  #begin(): void {
    const reader = this.#waiting.shift();
    if (reader === undefined) return;
    this.#slice++;
    this.#holder = reader;
    this.#limitSlice();
    reader.begin();
  }

  /** A slice with little output ends too if others wait for theirs. */
  #limitSlice(): void {
    if (this.#holder === null || this.#waiting.length === 0) return;
    this.#limit ??= this.#loop.after(sliceMs, () => this.#end());
  }

  #end(): void {
    this.#limit?.dispose();
    this.#limit = null;
    this.#holder?.end();
    this.#holder = null;
    if (this.#waiting.length > 0) this.#beginSoon();
  }
}

/** One per process: all terminals share its event loop. */
export const readScheduler = new ReadScheduler();

/** The reads of one terminal. It is read whenever it has output, until it floods. */
export class ScheduledReader {
  readonly #scheduler: ReadScheduler;
  readonly #onSlice: () => void;
  /** Whether it had more output than its share; it is then read only in its slices. */
  #floods = false;
  #isQueued = false;
  #slice = 0;
  #spentMs = 0;

  /** @param onSlice called when reading may continue after {@link take} returned false */
  constructor(scheduler: ReadScheduler, onSlice: () => void) {
    this.#scheduler = scheduler;
    this.#onSlice = onSlice;
  }

  /** Whether it may not read before its next slice. */
  get isQueued(): boolean {
    return this.#isQueued;
  }

  /** Must be called when input was written to the terminal. */
  typed(): void {
    if (!this.#floods) this.#scheduler.typed(this);
  }

  /** The size of the next read, in bytes. */
  get readBytes(): number {
    return this.#scheduler.isSharedFor(this) ? sharedReadBytes : wholeReadBytes;
  }

  /**
   * Handles the bytes of one read. Returns whether more may be read now.
   *
   * @param isFull whether the read filled its buffer, so that more output may be available
   */
  take(isFull: boolean, handle: () => void): boolean {
    const scheduler = this.#scheduler;
    if (this.#slice !== scheduler.slice) this.#count(scheduler.slice);
    const startMs = scheduler.nowMs();
    handle();
    this.#spentMs += scheduler.nowMs() - startMs;
    scheduler.shown(this);
    if (this.#mayContinue(isFull)) return true;
    this.#floods = true;
    this.#isQueued = true;
    scheduler.enqueue(this);
    return false;
  }

  /** Called by the scheduler when its slice begins. */
  begin(): void {
    this.#isQueued = false;
    this.#count(this.#scheduler.slice);
    this.#onSlice();
  }

  /** Called by the scheduler when its slice ends. */
  end(): void {
    // A terminal without output in a whole slice no longer floods.
    if (this.#spentMs === 0) this.#floods = false;
  }

  #mayContinue(isFull: boolean): boolean {
    const scheduler = this.#scheduler;
    // The time alone does not show a flood: another process may have had the CPU meanwhile.
    if (!this.#floods) return !isFull || this.#spentMs < scheduler.shareMs;
    return scheduler.isHeldBy(this) && !scheduler.isHeld && this.#spentMs < sliceMs;
  }

  /** Counts the time spent from the beginning of a slice. */
  #count(slice: number): void {
    this.#slice = slice;
    this.#spentMs = 0;
  }
}
