import { flow } from '#model';
import { type Frame, flooding } from './frames.ts';

const { sliceMs, share, maxSliceMs } = flow.frameTurns;

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

  constructor(handle: (frame: Frame) => void, nowMs: () => number) {
    this.#handle = handle;
    this.#nowMs = nowMs;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
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
      this.#handle(frame);
      return;
    }
    const entry = { frame };
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
