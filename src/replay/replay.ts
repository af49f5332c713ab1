import { encodeUtf8 } from '#base';
import type { Size } from '#model';
import type { RecordedEvent, Recording } from '#recording';
import { type ScrollbackLimits, Terminal } from '#vt';

export interface ReplayOptions {
  /**
   * Default {@link replayScrollback}. Key frames contain the scrollback, so a large one makes seeks
   * slower.
   */
  readonly scrollback?: ScrollbackLimits;
  /** Output between two key frames; default 512 KiB. */
  readonly intervalBytes?: number;
  /** The memory of all key frames; default 64 MiB. */
  readonly maxKeyFrameBytes?: number;
}

/** A time in ms since the beginning of the recording, and the terminal then. */
export interface ReplayStep {
  readonly atMs: number;
  readonly terminal: Terminal;
}

/** Both inclusive, in ms since the beginning; default from the beginning to the end. */
export interface TimeRange {
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** As many lines as a resize to the largest size returns to the screen. */
export const replayScrollback: ScrollbackLimits = { maxLines: 1_000, maxBytes: 1024 * 1024 };

/** An event costs time, even without output. */
const eventBytes = 64;

/** A recording as a terminal at any time. Output has no other effect than on the terminal. */
export class Replay {
  readonly recording: Recording;
  /** The time of the last event, in ms. */
  readonly durationMs: number;
  /** In the order of time. */
  readonly markers: readonly { readonly atMs: number; readonly label: string }[];
  /** The exit status of the program; null if the recording does not have it. */
  readonly exit: { readonly atMs: number; readonly status: number } | null;
  readonly #events: readonly RecordedEvent[];
  readonly #scrollback: ScrollbackLimits;
  readonly #keyFrames: KeyFrames;
  #loadedEvents = 0;
  #current: Playback;

  constructor(recording: Recording, options: ReplayOptions = {}) {
    const { intervalBytes = 512 * 1024, maxKeyFrameBytes = 64 * 1024 * 1024 } = options;
    this.recording = recording;
    this.#events = recording.events;
    this.#scrollback = options.scrollback ?? replayScrollback;
    this.#keyFrames = new KeyFrames(intervalBytes, maxKeyFrameBytes);
    this.durationMs = this.#events.at(-1)?.atMs ?? 0;
    this.markers = this.#events.filter((event) => event.type === 'marker');
    this.exit = this.#events.findLast((event) => event.type === 'exit') ?? null;
    this.#current = this.#playbackFrom(null);
  }

  /**
   * Makes the key frames with which {@link at} is fast everywhere. Yields after each; a caller may
   * do something else then, and may stop.
   */
  *loading(): Generator<void, void> {
    const playback = this.#playbackUpTo(this.#loadedEvents);
    for (let bytes = 0; playback.applied < this.#events.length; ) {
      bytes += playback.step() + eventBytes;
      if (bytes < this.#keyFrames.intervalBytes || playback.terminal.frameOpen) continue;
      bytes = 0;
      if (playback.applied <= this.#loadedEvents) continue;
      this.#loadedEvents = playback.applied;
      this.#keyFrames.add(playback.terminal, playback.applied);
      yield;
    }
  }

  load(): void {
    for (const _ of this.loading());
  }

  /** The memory of the key frames. */
  get keyFrameBytes(): number {
    return this.#keyFrames.bytes;
  }

  /**
   * Returns the terminal after all events up to and including a time. It is valid until the next
   * call, and must not be changed. A frame that the program has not completed (mode 2026) is shown
   * after a second, as in a session.
   */
  at(atMs: number): Terminal {
    const applied = this.#eventsUntil(atMs);
    const keyFrame = this.#keyFrames.upTo(applied);
    const isBehind = keyFrame !== null && keyFrame.applied > this.#current.applied;
    if (isBehind || this.#current.changedMs > atMs) this.#current = this.#playbackFrom(keyFrame);
    this.#current.runTo(atMs);
    return this.#current.terminal;
  }

  /** As {@link at}, after all events before a time. */
  before(atMs: number): Terminal {
    return this.at(this.#events.findLast((event) => event.atMs < atMs)?.atMs ?? -1);
  }

  /** Returns the time of the first event after a time, in ms; Infinity if there is none. */
  nextMs(afterMs: number): number {
    return this.#events[this.#eventsUntil(afterMs)]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Yields the terminal at the beginning of a range, and after each change of what it shows; once
   * more when a frame begins (mode 2026). It is always the same terminal, which the next step changes.
   */
  *steps({ fromMs = 0, toMs = this.durationMs }: TimeRange = {}): Generator<ReplayStep, void> {
    const playback = this.#playbackUpTo(this.#eventsUntil(fromMs));
    playback.runTo(fromMs);
    const { terminal } = playback;
    yield { atMs: fromMs, terminal };
    for (let shown = terminal.shownRevision; playback.nextMs <= toMs; ) {
      const atMs = playback.nextMs;
      playback.runTo(atMs);
      if (terminal.shownRevision === shown) continue;
      shown = terminal.shownRevision;
      yield { atMs, terminal };
    }
  }

  /** Returns the number of events up to and including a time. */
  #eventsUntil(atMs: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as RecordedEvent).atMs <= atMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #playbackUpTo(applied: number): Playback {
    return this.#playbackFrom(this.#keyFrames.upTo(applied));
  }

  #playbackFrom(keyFrame: KeyFrame | null): Playback {
    const { size, firstLine, applied } = keyFrame ?? {
      size: this.recording.header.size,
      firstLine: 0,
      applied: 0,
    };
    const terminal = new Terminal({ size, firstLine, scrollback: this.#scrollback });
    if (keyFrame !== null) terminal.feed(keyFrame.dump);
    return new Playback(terminal, this.#events, applied);
  }
}

/** The terminal after a number of events, as output that restores it. */
export interface KeyFrame {
  readonly applied: number;
  readonly size: Size;
  readonly firstLine: number;
  readonly dump: Uint8Array;
}

/**
 * Terminals of a recording in the order of time, from which its replay continues. When they exceed
 * the limit of memory, every second one is dropped, and from then on half as many are added.
 */
class KeyFrames {
  readonly #maxBytes: number;
  #frames: KeyFrame[] = [];
  #bytes = 0;
  #intervalBytes: number;

  /** @param intervalBytes see {@link intervalBytes} */
  constructor(intervalBytes: number, maxBytes: number) {
    this.#intervalBytes = intervalBytes;
    this.#maxBytes = maxBytes;
  }

  /** The output after which the next key frame is due. */
  get intervalBytes(): number {
    return this.#intervalBytes;
  }

  /** The memory of the dumps. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a terminal without an open frame, later than those before. */
  add(terminal: Terminal, applied: number): void {
    const { dump, firstLine } = terminal.snapshot();
    this.#frames.push({ applied, size: terminal.size, firstLine, dump: dump.slice() });
    this.#bytes += dump.length;
    while (this.#bytes > this.#maxBytes) this.#halve();
  }

  /** Returns the last key frame with at most so many events; null if there is none. */
  upTo(applied: number): KeyFrame | null {
    return this.#frames.findLast((frame) => frame.applied <= applied) ?? null;
  }

  #halve(): void {
    this.#frames = this.#frames.filter((_, index) => index % 2 === 1);
    this.#bytes = this.#frames.reduce((sum, { dump }) => sum + dump.length, 0);
    this.#intervalBytes *= 2;
  }
}

/** As long as a session waits for the end of a frame (mode 2026). */
const maxFrameMs = 1_000;

/**
 * A terminal to which the events of a recording are applied in order. What output asks of a terminal,
 * other than to change what it shows, has no effect: no reply, no clipboard, no bell.
 */
class Playback {
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
