import type { Disposable } from '#base';
import { flow } from '#model';
import { EchoHold, type EventLoop, nodeLoop } from '../io/read-scheduler.ts';
import { type Frame, FrameReader, flooding } from './frames.ts';

const { readBytes, maxWaitingBytes, shortReadBytes, minAckBytes, lazyAckBytes, maxAckDelayMs } =
  flow.receiving;
const { aloneBytes } = flow.window;

/** Output of a session up to an offset. */
interface Acknowledged {
  readonly session: number;
  readonly offset: number;
}

export interface ReceivedFramesParts {
  /** Returns the session of a frame, 0 for none. An answer belongs to that of its request. */
  readonly sessionOf: (frame: Frame) => number;
  /** May throw: the frames after it are not handled. */
  readonly handle: (frame: Frame) => void;
  /** Tells the host what was handled. */
  readonly acknowledge: (entries: readonly Acknowledged[]) => void;
  /** Reads the host again, after {@link ReceivedFrames.receive} returned false. */
  readonly resume: () => void;
  /** Called with an error of `handle`, or with the error for bytes that are not a frame. */
  readonly onFault: (error: unknown) => void;
  readonly loop?: EventLoop;
}

interface Consumed {
  readonly session: number;
  /** The offset up to which output was handled. */
  to: number;
  acknowledged: number;
  isLazy: boolean;
}

/** The frames of a host: they are handled in turns, and the output in them is acknowledged. */
export class ReceivedFrames {
  readonly #parts: ReceivedFramesParts;
  readonly #loop: EventLoop;
  readonly #turns: FrameTurns;
  readonly #reader = new FrameReader((frame) => this.#onFrame(frame));
  readonly #consumed = new Map<number, Consumed>();
  /** Those with output to acknowledge. */
  readonly #due = new Set<Consumed>();
  readonly #hold: EchoHold<number>;
  #ackTimer: Disposable | null = null;
  #isReceiving = false;
  /** Whether the host is read again when less waits. */
  #isReadLater = false;
  #isTurnPlanned = false;

  constructor(parts: ReceivedFramesParts) {
    this.#parts = parts;
    this.#loop = parts.loop ?? nodeLoop;
    this.#turns = new FrameTurns(parts.handle, () => this.#loop.nowMs());
    this.#hold = new EchoHold(this.#loop, () => this.#planTurn());
  }

  /** Input was sent to a session: floods of others wait until its echo was handled and told. */
  typed(session: number): void {
    if (!this.#turns.isFlooded || this.#turns.waits(session)) return;
    this.#hold.typed(session);
    this.#readOn();
  }

  /**
   * Handles the bytes of one read, of at most `flow.receiving.readBytes`.
   *
   * @returns whether more may be read; if not, `resume` is called later
   */
  receive(bytes: Uint8Array): boolean {
    this.#receiving(() => {
      const { others } = this.#turns;
      this.#reader.push(bytes);
      // One that is planned already waits for its turn, next to other events. What was handled for others, such as an
      // echo, is told to clients before.
      const mayRun = !this.#isTurnPlanned && !this.#hold.isOn && others === this.#turns.others;
      if (!this.#turns.isEmpty && mayRun) this.#turns.run();
      this.#turns.keep();
      this.#acknowledge(bytes.length < shortReadBytes && this.#turns.isEmpty);
    });
    this.#planTurn();
    if (this.#turns.bytes > this.#mostWaiting) this.#isReadLater = true;
    else if (bytes.length < readBytes) return true;
    else this.#loop.afterTurn(this.#parts.resume);
    return false;
  }

  /** Handles all frames that wait. */
  drain(): void {
    this.#receiving(() => this.#turns.drain());
  }

  /** @param from the offset up to which output was handled before */
  addSession(session: number, from: number): void {
    this.#consumed.set(session, { session, to: from, acknowledged: from, isLazy: false });
  }

  removeSession(session: number): void {
    const consumed = this.#consumed.get(session);
    if (consumed !== undefined) this.#due.delete(consumed);
    this.#consumed.delete(session);
  }

  /** Must be called when the output of a session up to an offset has been handled. */
  consume(session: number, to: number, isLazy: boolean): void {
    const consumed = this.#consumed.get(session);
    if (consumed === undefined) return;
    if (this.#hold.isOn) this.#hold.shown(session);
    consumed.to = to;
    consumed.isLazy = isLazy;
    if (to - consumed.acknowledged < minAckBytes) return;
    this.#due.add(consumed);
    // Output that was held is not followed by the end of a read.
    if (!this.#isReceiving) this.#acknowledgeSoon();
  }

  /** Other events are handled between two turns. */
  #planTurn(): void {
    if (this.#isTurnPlanned || this.#hold.isOn || this.#turns.isEmpty) return;
    this.#isTurnPlanned = true;
    this.#loop.afterTurn(() => {
      this.#isTurnPlanned = false;
      if (this.#hold.isOn) return;
      this.#receiving(() => {
        this.#turns.run();
        this.#acknowledge(this.#turns.isEmpty);
      });
      this.#readOn();
      this.#planTurn();
    });
  }

  /** An echo that is awaited is read past the output of floods that was sent before it. */
  get #mostWaiting(): number {
    return this.#hold.isOn ? aloneBytes : maxWaitingBytes;
  }

  #readOn(): void {
    if (!this.#isReadLater || this.#turns.bytes > this.#mostWaiting) return;
    this.#isReadLater = false;
    this.#parts.resume();
  }

  #receiving(handle: () => void): void {
    this.#isReceiving = true;
    try {
      handle();
    } catch (error) {
      this.#parts.onFault(error);
    } finally {
      this.#isReceiving = false;
    }
  }

  #onFrame(frame: Frame): void {
    if (frame.type === 'superseded') this.#turns.drain();
    this.#turns.add(this.#parts.sessionOf(frame), frame);
  }

  /** @param isWaiting whether the host waits for acknowledgements */
  #acknowledge(isWaiting: boolean): void {
    const entries: Acknowledged[] = [];
    for (const consumed of this.#due) {
      const { session, to, acknowledged, isLazy } = consumed;
      if (isLazy && !isWaiting && to - acknowledged < lazyAckBytes) continue;
      this.#due.delete(consumed);
      consumed.acknowledged = to;
      entries.push({ session, offset: to });
    }
    if (entries.length > 0) this.#parts.acknowledge(entries);
    // Nothing more may follow until it is acknowledged: the window can have become narrow.
    if (this.#due.size > 0) this.#acknowledgeSoon();
  }

  #acknowledgeSoon(): void {
    this.#ackTimer ??= this.#loop.after(maxAckDelayMs, () => {
      this.#ackTimer = null;
      this.#acknowledge(true);
    });
  }
}

const { sliceMs, share, maxSliceMs } = flow.frameTurns;
const { recentMs } = flow.echoes;

interface Waiting {
  /** Null when it was handled. */
  frame: Frame | null;
}

/**
 * The order in which the frames of sessions are handled: those of a session as they arrived; sessions that
 * flood after all others, and in turns among themselves. So an echo waits for a slice of the floods, and not
 * for all of their output that arrived before it.
 */
export class FrameTurns {
  readonly #handle: (frame: Frame) => void;
  readonly #nowMs: () => number;
  /** By session, the one whose turn is next first; none is empty. */
  readonly #waiting = new Map<number, Waiting[]>();
  /** Those whose payloads are memory of the reader. */
  #borrowed: Waiting[] = [];
  #bytes = 0;
  /** When the last slice ended, or frames began to wait after it. */
  #sinceMs = 0;
  /** When a frame of a flood arrived last. */
  #floodedMs = Number.NEGATIVE_INFINITY;
  /** The number of frames that did not wait. */
  others = 0;

  constructor(handle: (frame: Frame) => void, nowMs: () => number) {
    this.#handle = handle;
    this.#nowMs = nowMs;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Whether a session has flooded lately. */
  get isFlooded(): boolean {
    return !this.isEmpty || this.#nowMs() - this.#floodedMs < recentMs;
  }

  /** Whether frames of a session wait. */
  waits(session: number): boolean {
    return this.#waiting.has(session);
  }

  /** The bytes of payload that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Handles a frame now, unless its session floods or frames of it wait: then it waits, too.
   *
   * @param session to which it belongs; an answer belongs to that of its request
   */
  add(session: number, frame: Frame): void {
    const before = this.#waiting.get(session);
    if (before === undefined && (frame.type !== 'data' || (frame.flags & flooding) === 0)) {
      this.others++;
      this.#handle(frame);
      return;
    }
    const entry = { frame };
    this.#floodedMs = this.#nowMs();
    if (this.isEmpty) this.#sinceMs = this.#nowMs();
    if (before === undefined) this.#waiting.set(session, [entry]);
    else before.push(entry);
    this.#borrowed.push(entry);
    this.#bytes += frame.payload.length;
  }

  /** Handles waiting frames for a slice; at least one. */
  run(): void {
    const beginMs = this.#nowMs();
    const othersMs = beginMs - this.#sinceMs;
    const endMs = beginMs + Math.max(sliceMs, Math.min(share * othersMs, maxSliceMs));
    do this.#next();
    while (!this.isEmpty && this.#nowMs() < endMs);
    this.#sinceMs = this.#nowMs();
  }

  /** Handles all waiting frames. */
  drain(): void {
    while (!this.isEmpty) this.#next();
  }

  /** Must be called before the reader uses the memory of the payloads again. */
  keep(): void {
    for (const entry of this.#borrowed) {
      const { frame } = entry;
      if (frame !== null) entry.frame = { ...frame, payload: new Uint8Array(frame.payload) };
    }
    this.#borrowed = [];
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [session, entries] = first;
    const entry = entries.shift();
    this.#waiting.delete(session);
    if (entries.length > 0) this.#waiting.set(session, entries);
    const frame = entry?.frame;
    if (entry === undefined || frame === undefined || frame === null) return;
    entry.frame = null;
    this.#bytes -= frame.payload.length;
    this.#handle(frame);
  }
}
