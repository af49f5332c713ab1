import type { Disposable } from '#base';
import { flow } from '#model';
import { type EventLoop, nodeLoop } from '../io/read-scheduler.ts';
import { FrameTurns } from './frame-turns.ts';
import { type Frame, FrameReader } from './frames.ts';

const { readBytes, maxWaitingBytes, shortReadBytes, minAckBytes, lazyAckBytes, maxAckDelayMs } =
  flow.receiving;

/** Output of a session up to an offset. */
export interface Acknowledged {
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
  #ackTimer: Disposable | null = null;
  #isReceiving = false;
  /** Whether the host is read again when less waits. */
  #isReadLater = false;
  #isTurnPlanned = false;

  constructor(parts: ReceivedFramesParts) {
    this.#parts = parts;
    this.#loop = parts.loop ?? nodeLoop;
    this.#turns = new FrameTurns(parts.handle, () => this.#loop.nowMs());
  }

  /**
   * Handles the bytes of one read, of at most `flow.receiving.readBytes`.
   *
   * @returns whether more may be read; if not, `resume` is called later
   */
  receive(bytes: Uint8Array): boolean {
    this.#receiving(() => {
      this.#reader.push(bytes);
      // One that is planned already waits for its turn, next to other events.
      if (!this.#turns.isEmpty && !this.#isTurnPlanned) this.#turns.run();
      this.#turns.keep();
      this.#acknowledge(bytes.length < shortReadBytes && this.#turns.isEmpty);
    });
    this.#planTurn();
    if (this.#turns.bytes > maxWaitingBytes) this.#isReadLater = true;
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
    consumed.to = to;
    consumed.isLazy = isLazy;
    if (to - consumed.acknowledged < minAckBytes) return;
    this.#due.add(consumed);
    // Output that was held is not followed by the end of a read.
    if (!this.#isReceiving) this.#acknowledgeSoon();
  }

  /** Other events are handled between two turns. */
  #planTurn(): void {
    if (this.#isTurnPlanned || this.#turns.isEmpty) return;
    this.#isTurnPlanned = true;
    this.#loop.afterTurn(() => {
      this.#isTurnPlanned = false;
      this.#receiving(() => {
        this.#turns.run();
        this.#acknowledge(this.#turns.isEmpty);
      });
      if (this.#isReadLater && this.#turns.bytes <= maxWaitingBytes) {
        this.#isReadLater = false;
        this.#parts.resume();
      }
      this.#planTurn();
    });
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
