import type { Disposable, Listener } from '#base';
import type { ExitStatus, ScreenPlace, SessionEvent, Size } from '#model';
import type { WatchedCommands } from '../watched.ts';

/**
 * Why a segment begins: the recording does; the one before is full; the size has changed; no output
 * leads to this state.
 */
export type SegmentCause = 'begin' | 'full' | 'resize' | 'redraw';

/** The state of a session in which a segment begins. */
export interface SegmentBegin {
  readonly cause: SegmentCause;
  /** Absolute offset of the next byte of output. */
  readonly offset: number;
  readonly size: Size;
  /** Output that gives a new terminal of this size and first line the screen. */
  readonly dump: Uint8Array;
  readonly firstLine: number;
  /** The oldest line that the session kept. */
  readonly oldestLine: number;
  readonly revision: number;
  /** For `resize`: see `ResizeEvent.erasedFrom`. */
  readonly erasedFrom?: ScreenPlace;
  /** Monotonic, in ms. */
  readonly atMs: number;
  /** The same in ms since 1970. */
  readonly wallMs: number;
}

/** The part of a segment before a moment. */
export interface SegmentEnd {
  readonly segment: Segment;
  /** Absolute offset after the output. */
  readonly offset: number;
  /** How many of its changes are part of it. */
  readonly changes: number;
}

export type SegmentStep =
  | { readonly type: 'output'; readonly atMs: number; readonly bytes: Uint8Array }
  | PlacedChange;

const firstBytes = 1024;
const firstChunks = 8;
const growth = 4;
/** The size of one chunk in the three arrays. */
const bytesPerChunk = 16;
/** An estimate of a change without its text. */
const bytesPerChange = 160;
/** The size of the objects of a segment. */
const ownBytes = 600;
/** Output within this time is one chunk, in ms: recordings have a resolution of 1 ms. */
const joinedMs = 1;

/**
 * A part of what happened in a session, in memory: the screen at its beginning, and the output and
 * changes after it. The size of the terminal is the same in all of it.
 */
export class Segment {
  readonly begin: SegmentBegin;
  /** Its memory is not used for another one: a reader may have it. */
  isKept = false;
  #bytes: Uint8Array;
  #length = 0;
  /** Where each chunk ends, from the beginning. */
  #ends = new Uint32Array(0);
  /** When each chunk began, since the beginning. */
  #times = new Float64Array(0);
  /** The revision after each chunk, since the beginning. */
  #revisions = new Uint32Array(0);
  #count = 0;
  readonly #changes: PlacedChange[] = [];
  #changeBytes = 0;

  /** @param buffer memory for the output */
  constructor(begin: SegmentBegin, buffer: Uint8Array = new Uint8Array(0)) {
    this.begin = begin;
    this.#bytes = buffer;
  }

  /** The memory of the output, which can be used again if {@link isKept} is false. */
  get buffer(): Uint8Array {
    return this.#bytes;
  }

  /** Bytes of memory. */
  get memoryBytes(): number {
    const { dump } = this.begin;
    const chunks = this.#ends.length * bytesPerChunk;
    return ownBytes + dump.length + this.#bytes.length + chunks + this.#changeBytes;
  }

  /** Bytes of output, times and changes. */
  get usedBytes(): number {
    return this.#length + this.#count * bytesPerChunk + this.#changeBytes;
  }

  /** The end of the output. */
  get offset(): number {
    return this.begin.offset + this.#length;
  }

  get changes(): readonly PlacedChange[] {
    return this.#changes;
  }

  get end(): SegmentEnd {
    return { segment: this, offset: this.offset, changes: this.#changes.length };
  }

  /** @param maxBytes the memory that the output will probably need */
  append(bytes: Uint8Array, atMs: number, revision: number, maxBytes: number): void {
    const sinceMs = atMs - this.begin.atMs;
    const end = this.#length + bytes.length;
    if (end > this.#bytes.length) this.#growBytes(end, maxBytes);
    this.#bytes.set(bytes, this.#length);
    this.#length = end;
    if (this.#count > 0 && sinceMs - (this.#times[this.#count - 1] ?? 0) < joinedMs) {
      this.#count--;
    } else {
      if (this.#count === this.#ends.length)
        this.#setChunks(Math.max(firstChunks, this.#count * 2));
      this.#times[this.#count] = sinceMs;
    }
    this.#ends[this.#count] = end;
    this.#revisions[this.#count] = revision - this.begin.revision;
    this.#count++;
  }

  add(change: PlacedChange): void {
    this.#changes.push({ ...change, offset: Math.max(change.offset, this.begin.offset) });
    this.#changeBytes += bytesPerChange + 2 * (labelOf(change) ?? '').length;
  }

  /** Releases memory, if much of it is not used. Nothing is appended any more. */
  close(): void {
    if (this.#bytes.length > 2 * this.#length) this.#bytes = this.#bytes.slice(0, this.#length);
    if (this.#ends.length > 2 * this.#count) this.#setChunks(this.#count);
  }

  /** The part up to a monotonic time, and when its last step was. */
  before(atMs: number): SegmentEnd & { readonly atMs: number } {
    const { begin } = this;
    const count = this.#countTo(this.#times, atMs - begin.atMs);
    const offset = begin.offset + (count === 0 ? 0 : (this.#ends[count - 1] ?? 0));
    const outputMs = begin.atMs + (count === 0 ? 0 : (this.#times[count - 1] ?? 0));
    const isLater = (each: PlacedChange) => each.offset > offset || each.atMs > atMs;
    const later = this.#changes.findIndex(isLater);
    const changes = later < 0 ? this.#changes.length : later;
    const framed = this.#changes.slice(0, changes).findLast(({ type }) => type === 'frameEnd');
    return { segment: this, offset, changes, atMs: Math.max(outputMs, framed?.atMs ?? 0) };
  }

  /** The revision of the session after the output before an offset. Within a chunk, that before it. */
  revisionAt(offset: number): number {
    const count = this.#countTo(this.#ends, offset - this.begin.offset);
    return this.begin.revision + (count === 0 ? 0 : (this.#revisions[count - 1] ?? 0));
  }

  /** The number of chunks whose value is at most this one. */
  #countTo(values: Uint32Array | Float64Array, value: number): number {
    let low = 0;
    for (let high = this.#count; low < high; ) {
      const middle = (low + high) >> 1;
      if ((values[middle] ?? 0) <= value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Yields output and changes in order, up to an end. Output may be appended meanwhile. */
  *steps(end: Omit<SegmentEnd, 'segment'>): Generator<SegmentStep> {
    const { offset: start, atMs: beganMs } = this.begin;
    const to = end.offset - start;
    let next = 0;
    let at = 0;
    for (let chunk = 0; at < to; chunk++) {
      const atMs = beganMs + (this.#times[chunk] ?? 0);
      const last = Math.min(this.#ends[chunk] ?? to, to);
      while (at < last) {
        while (next < end.changes && this.#placeOf(next) <= at) yield this.#change(next++);
        const stop = Math.min(last, next < end.changes ? this.#placeOf(next) : last);
        yield { type: 'output', atMs, bytes: this.#bytes.subarray(at, stop) };
        at = stop;
      }
    }
    while (next < end.changes) yield this.#change(next++);
  }

  #change(index: number): PlacedChange {
    return this.#changes[index] as PlacedChange;
  }

  #placeOf(index: number): number {
    return this.#change(index).offset - this.begin.offset;
  }

  #growBytes(needed: number, maxBytes: number): void {
    const grown = Math.min(Math.max(firstBytes, this.#bytes.length * growth), maxBytes);
    const bytes = new Uint8Array(Math.max(needed, grown));
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }

  #setChunks(count: number): void {
    const ends = new Uint32Array(count);
    ends.set(this.#ends.subarray(0, this.#count));
    this.#ends = ends;
    const times = new Float64Array(count);
    times.set(this.#times.subarray(0, this.#count));
    this.#times = times;
    const revisions = new Uint32Array(count);
    revisions.set(this.#revisions.subarray(0, this.#count));
    this.#revisions = revisions;
  }
}

/** What happened in a session apart from output and resizes. */
export type RecordedChange =
  | { readonly type: 'marker'; readonly label: string }
  | {
      readonly type: 'commandBegin';
      readonly command: number;
      /** Null if the shell does not report it. */
      readonly line: string | null;
      /** See `CommandRecord.unverified`. */
      readonly unverified?: true;
    }
  | {
      readonly type: 'commandEnd';
      readonly command: number;
      readonly exitCode: number | null;
      readonly durationMs: number;
    }
  /** An open frame was shown, because it took too long. No output says so. */
  | { readonly type: 'frameEnd' }
  | { readonly type: 'exit'; readonly status: ExitStatus };

/** A change after the output before an absolute offset, at a monotonic time in ms. */
export type PlacedChange = RecordedChange & { readonly offset: number; readonly atMs: number };

/**
 * Receives all that happens in a session, in order, while the session has the state after it. Times are
 * monotonic, in ms.
 */
export interface RecordConsumer {
  /** @param bytes shared by all observers; valid until this returns */
  output(bytes: Uint8Array, offset: number, atMs: number): void;
  /** @param erasedFrom see `ResizeEvent.erasedFrom` */
  resized(size: Size, atMs: number, erasedFrom: ScreenPlace | undefined): void;
  /** The offset of the change may be that of an earlier output, but never before one of a change. */
  changed(change: PlacedChange): void;
}

/** The label of a change that recordings show as a marker; null if it is none. */
export function labelOf(change: RecordedChange): string | null {
  if (change.type === 'marker') return change.label;
  if (change.type !== 'commandBegin') return null;
  const { line, command, unverified } = change;
  return `${line ?? `command ${command}`}${unverified ? ' (unverified)' : ''}`;
}

/** A session as a recorder sees it. While an event is delivered, the state is that of the event. */
export interface RecordedSource {
  readonly terminal: {
    readonly revision: number;
    readonly size: Size;
    /** The oldest line kept. */
    readonly firstLine: number;
    /** Whether the program draws a frame (mode 2026). */
    readonly frameOpen: boolean;
    /** Whether the output so far ends within a sequence or a character. */
    readonly isPending: boolean;
    /** Output that makes a new terminal equal to this one, with that terminal's first line. */
    snapshot(options: { readonly scrollbackLines: number }): {
      readonly dump: Uint8Array;
      readonly firstLine: number;
    };
  };
  readonly outputEnd: number;
  readonly exitStatus: ExitStatus | null;
  readonly commands: Pick<WatchedCommands, 'running' | 'endedAfter' | 'unverified'>;
  onEvent(listener: Listener<SessionEvent>): Disposable;
}
