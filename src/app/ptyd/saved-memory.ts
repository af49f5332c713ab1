import type { Saved, SavedChange, SavedState, Segment } from '#pty';

/** The most memory of what all sessions have saved, in bytes. */
const maxSavedBytes = 256 * 1024 * 1024;
/** What a blob costs besides its bytes. */
const overheadBytes = 128;
const nothing = new Uint8Array(0);

/** What the coordinator saved about one session. The blobs are opaque. */
export class SavedSession implements Saved {
  readonly #memory: SavedMemory;
  readonly #onDropped: (line: number) => void;
  #facts: Uint8Array;
  #state: SavedState | null = null;
  #segments: readonly Segment[] = [];
  #bytes = 0;

  /** @param onDropped called with a line when the segments before it were dropped */
  constructor(memory: SavedMemory, facts: Uint8Array, onDropped: (line: number) => void) {
    this.#memory = memory;
    this.#facts = facts;
    this.#onDropped = onDropped;
    this.#count();
  }

  get facts(): Uint8Array {
    return this.#facts;
  }

  get state(): SavedState | null {
    return this.#state;
  }

  get segments(): readonly Segment[] {
    return this.#segments;
  }

  apply(change: SavedChange): void {
    const { replaceFrom = Number.POSITIVE_INFINITY, firstLine = 0, segments = [] } = change;
    this.#facts = change.facts ?? this.#facts;
    this.#state = change.state ?? this.#state;
    const earlier = this.#segments.filter(({ from }) => from < replaceFrom);
    this.#segments = [...earlier, ...segments].filter(({ to }) => to > firstLine);
    this.#count();
  }

  /** Makes room. */
  dropSegments(): void {
    const line = this.#segments.at(-1)?.to;
    if (line === undefined) return;
    this.#segments = [];
    this.#count();
    this.#onDropped(line);
  }

  dispose(): void {
    this.#memory.set(this, 0);
  }

  #count(): void {
    const blobs = [this.#facts, this.#state?.bytes ?? nothing];
    for (const { bytes } of this.#segments) blobs.push(bytes);
    const bytes = blobs.reduce((sum, { length }) => sum + length + overheadBytes, 0);
    if (bytes === this.#bytes) return;
    this.#bytes = bytes;
    this.#memory.set(this, bytes);
  }
}

/** The memory of what all sessions have saved. */
export class SavedMemory {
  readonly #maxBytes: number;
  /** The session that saved least recently is first. */
  readonly #sessions = new Map<SavedSession, number>();
  #bytes = 0;

  constructor(maxBytes = maxSavedBytes) {
    this.#maxBytes = maxBytes;
  }

  get isFull(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  /** Sets the bytes of a session; 0 removes it. Drops the segments of the oldest if it must. */
  set(session: SavedSession, bytes: number): void {
    const before = this.#sessions.get(session) ?? 0;
    this.#bytes += bytes - before;
    if (bytes < before && bytes > 0) {
      this.#sessions.set(session, bytes);
      return;
    }
    this.#sessions.delete(session);
    if (bytes > 0) this.#sessions.set(session, bytes);
    for (const each of [...this.#sessions.keys()]) {
      if (!this.isFull) return;
      each.dropSegments();
    }
  }
}
