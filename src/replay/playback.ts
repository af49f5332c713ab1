import { encodeUtf8 } from '#base';
import type { RecordedEvent } from '#recording';
import type { Terminal } from '#vt';

/** As long as a session waits for the end of a frame (mode 2026). */
const maxFrameMs = 1_000;

/**
 * A terminal to which the events of a recording are applied in order. What output asks of a terminal,
 * other than to change what it shows, has no effect: no reply, no clipboard, no bell.
 */
export class Playback {
  readonly terminal: Terminal;
  readonly #events: readonly RecordedEvent[];
  #next: number;
  #changedMs: number;
  /** Null if no frame is open. */
  #frameBeganMs: number | null = null;

  /**
   * @param terminal with the events before `next` applied, without an open frame
   * @param next index of an event
   */
  constructor(terminal: Terminal, events: readonly RecordedEvent[], next = 0) {
    this.terminal = terminal;
    this.#events = events;
    this.#next = next;
    this.#changedMs = events[next - 1]?.atMs ?? Number.NEGATIVE_INFINITY;
  }

  /** The number of events that are applied. */
  get applied(): number {
    return this.#next;
  }

  /** When something happened last, in ms; -Infinity if nothing did. */
  get changedMs(): number {
    return this.#changedMs;
  }

  /** When something happens next, in ms; Infinity if nothing does. */
  get nextMs(): number {
    const eventMs = this.#events[this.#next]?.atMs ?? Number.POSITIVE_INFINITY;
    return Math.min(eventMs, this.#frameEndMs);
  }

  /** Applies all events up to and including a time. */
  runTo(atMs: number): void {
    while (this.nextMs <= atMs && this.nextMs < Number.POSITIVE_INFINITY) this.step();
  }

  /** Applies the next event, or ends a frame that has been open for a second. Returns its work. */
  step(): number {
    const event = this.#events[this.#next];
    this.#changedMs = this.nextMs;
    if (event === undefined || this.#frameEndMs <= event.atMs) {
      this.terminal.endFrame();
      this.#frameBeganMs = null;
      return 0;
    }
    this.#next++;
    return this.#apply(event);
  }

  #apply(event: RecordedEvent): number {
    if (event.type === 'output') return this.#feed(encodeUtf8(event.text), event.atMs);
    if (event.type === 'resize') {
      this.terminal.resize(event.size);
      if (!this.terminal.frameOpen) this.#frameBeganMs = null;
    }
    return 0;
  }

  #feed(bytes: Uint8Array, atMs: number): number {
    const { terminal } = this;
    let at = 0;
    do {
      at += terminal.feedToFrameBoundary(at === 0 ? bytes : bytes.subarray(at));
      this.#frameBeganMs = terminal.frameOpen ? (this.#frameBeganMs ?? atMs) : null;
    } while (at < bytes.length);
    terminal.takeReplies();
    terminal.takeEvents();
    return bytes.length;
  }

  get #frameEndMs(): number {
    return this.#frameBeganMs === null ? Number.POSITIVE_INFINITY : this.#frameBeganMs + maxFrameMs;
  }
}
