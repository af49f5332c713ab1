import { type Clock, type Disposable, defined } from '#base';
import { defaultLimits, type RecordBegin, type ScreenPlace, type Size } from '#model';
import {
  type PlacedChange,
  type RecordConsumer,
  type RecordedSource,
  Segment,
  type SegmentCause,
} from './segment.ts';

/** The last part of what happened in a session, in segments. */
export class RecordingRing implements RecordConsumer, Disposable {
  readonly #source: RecordedSource;
  readonly #clock: Pick<Clock, 'nowMs' | 'wallMs'>;
  readonly #memory: RecordingMemory;
  #segments: readonly Segment[] = [];
  #bytes = 0;
  #begins: RecordBegin;
  /** The offset of the output at which a beginning is tried again: the last one was too large. */
  #triedAgainAt = 0;

  /** @param begins why it begins now */
  constructor(
    source: RecordedSource,
    clock: Pick<Clock, 'nowMs' | 'wallMs'>,
    memory: RecordingMemory,
    begins: Exclude<RecordBegin, 'limit'>,
  ) {
    this.#source = source;
    this.#clock = clock;
    this.#memory = memory;
    this.#begins = begins;
    this.begin();
  }

  /** Oldest first. */
  get segments(): readonly Segment[] {
    return this.#segments;
  }

  /** Why it does not begin earlier. */
  get begins(): RecordBegin {
    return this.#begins;
  }

  /** Begins again if everything was dropped. Must not be called while the program draws a frame. */
  begin(): void {
    if (this.#segments.length === 0) this.#next('begin');
  }

  output(bytes: Uint8Array, _offset: number, atMs: number): void {
    const { segmentBytes, sessionBytes } = this.#memory.limits;
    const last = this.#segments.at(-1);
    if (last === undefined || bytes.length > sessionBytes / 2) {
      this.#dropAll();
      this.#beginLater();
      return;
    }
    const before = last.memoryBytes;
    last.append(bytes, atMs, this.#source.terminal.revision, segmentBytes);
    this.#grown(last.memoryBytes - before);
    // The next chunk is probably of the same size.
    if (last.usedBytes + bytes.length > segmentBytes) this.#next('full');
    this.#trim();
  }

  resized(_size: Size, _atMs: number, erasedFrom: ScreenPlace | undefined): void {
    this.#next(this.#segments.length === 0 ? 'begin' : 'resize', erasedFrom);
    this.#trim();
  }

  changed(change: PlacedChange): void {
    const last = this.#segments.at(-1);
    if (last === undefined) {
      this.#beginLater();
      return;
    }
    // Within a sequence, no output can say that the frame ends.
    if (change.type === 'frameEnd' && this.#source.terminal.isPending) this.#next('redraw');
    else {
      const before = last.memoryBytes;
      last.add(change);
      this.#grown(last.memoryBytes - before);
    }
    this.#trim();
  }

  dropOldest(): void {
    const [oldest, ...rest] = this.#segments;
    if (oldest === undefined) return;
    this.#segments = rest;
    this.#bytes -= oldest.memoryBytes;
    this.#memory.remove(oldest);
    this.#begins = 'limit';
  }

  dispose(): void {
    this.#dropAll();
  }

  #dropAll(): void {
    while (this.#segments.length > 0) this.dropOldest();
  }

  #next(cause: SegmentCause, erasedFrom?: ScreenPlace): void {
    const { terminal, outputEnd: offset } = this.#source;
    // The screen that is shown then is not in a dump.
    if (terminal.frameOpen) return;
    this.#close();
    const { size, firstLine: oldestLine, revision } = terminal;
    const { dump, firstLine } = terminal.snapshot({ scrollbackLines: 0 });
    const begin = {
      cause,
      offset,
      size,
      firstLine,
      oldestLine,
      revision,
      ...defined({ erasedFrom }),
      // It may be a part of a larger buffer.
      dump: dump.slice(),
      atMs: this.#clock.nowMs(),
      wallMs: this.#clock.wallMs(),
    };
    // A segment that does not follow a full one starts small: most sessions print little.
    const isFlowing = cause === 'full';
    const segment = new Segment(begin, isFlowing ? this.#memory.wholeBuffer() : undefined);
    // A line that continues on the screen can be long, and so can its links. Then nothing is recorded
    // until they have gone.
    const { sessionBytes, segmentBytes } = this.#memory.limits;
    if (segment.memoryBytes > sessionBytes / 2) {
      this.#triedAgainAt = offset + Math.max(segmentBytes, dump.length);
      this.#dropAll();
      return;
    }
    this.#segments = [...this.#segments, segment];
    this.#bytes += segment.memoryBytes;
    this.#memory.add(segment, this);
  }

  #close(): void {
    const last = this.#segments.at(-1);
    if (last === undefined) return;
    const before = last.memoryBytes;
    last.close();
    this.#grown(last.memoryBytes - before);
  }

  #grown(bytes: number): void {
    this.#bytes += bytes;
    this.#memory.grown(bytes);
  }

  /** Nothing is left of a frame that is too large: it begins again after it. */
  #trim(): void {
    while (this.#bytes > this.#memory.limits.sessionBytes && this.#segments.length > 0) {
      this.dropOldest();
    }
    this.#beginLater();
  }

  /** Begins again, but not for each chunk while the screen is too large: its dump can have many MB. */
  #beginLater(): void {
    if (this.#source.outputEnd >= this.#triedAgainAt) this.begin();
  }
}

/** Limits of the recordings in memory, in bytes. */
export interface RecordingLimits {
  /** For one session; 0: sessions are not recorded. */
  readonly sessionBytes: number;
  /** For all sessions together. */
  readonly totalBytes: number;
  /** For the output in a segment. */
  readonly segmentBytes: number;
}

export const defaultRecordingLimits: RecordingLimits = {
  sessionBytes: defaultLimits.recordingBytes,
  totalBytes: defaultLimits.allRecordingsBytes,
  segmentBytes: 256 * 1024,
};

/** The recording of a session, which can be shortened. */
interface Shortened {
  dropOldest(): void;
}

/** The memory of the recordings of all sessions. Above its limit, the oldest segments are dropped. */
export class RecordingMemory {
  readonly limits: RecordingLimits;
  /** Oldest first. */
  readonly #segments = new Map<Segment, Shortened>();
  #bytes = 0;
  /** The memory of a dropped segment: new memory would have to be cleared. */
  #spare: Uint8Array | null = null;

  constructor(limits: RecordingLimits) {
    this.limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(segment: Segment, ring: Shortened): void {
    this.#segments.set(segment, ring);
    this.grown(segment.memoryBytes);
  }

  /** @param bytes negative if it has become less */
  grown(bytes: number): void {
    this.#bytes += bytes;
    while (this.#bytes > this.limits.totalBytes) {
      const [oldest] = this.#segments;
      if (oldest === undefined) return;
      const [, ring] = oldest;
      ring.dropOldest();
    }
  }

  remove(segment: Segment): void {
    if (!this.#segments.delete(segment)) return;
    this.#bytes -= segment.memoryBytes;
    const { buffer, isKept } = segment;
    if (!isKept && buffer.length === this.limits.segmentBytes) this.#spare = buffer;
  }

  /** Returns memory for a segment that will be full. Its content is undefined. */
  wholeBuffer(): Uint8Array {
    const buffer = this.#spare ?? new Uint8Array(this.limits.segmentBytes);
    this.#spare = null;
    return buffer;
  }
}
