import { defaultLimits } from '#model';
import type { Segment } from './segment.ts';

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
