import { type Clock, type Disposable, decodeUtf8, Utf8Decoder } from '#base';
import type { Size } from '#model';
import {
  CastEncoder,
  type CastVersion,
  EventRedactor,
  type RecordedEvent,
  type RecordingHeader,
  redactHeader,
  type SecretRule,
} from '#recording';
import type { PlacedChange, RecordConsumer } from '#watch';
import { eventOf } from './cast-events.ts';
import type { RecordingFile } from './recording-store.ts';

/** Lines are written after this time, in ms, or this many characters. */
const flushMs = 250;
const flushLength = 64 * 1024;
/** What may wait for the disk, in bytes. More output is left out until little is waiting. */
const maxWaiting = 8 * 1024 * 1024;
const littleWaiting = 1024 * 1024;
/** Resets a terminal before a dump; lines above the screen stay. */
const reset = '\x1bc';

/** The session as it is recorded. */
export interface FileSource {
  readonly outputEnd: number;
  readonly terminal: {
    snapshot(options: { readonly scrollbackLines: number }): { readonly dump: Uint8Array };
  };
}

export interface FileRecordingParts {
  readonly source: FileSource;
  readonly clock: Clock;
  readonly file: RecordingFile;
  readonly version: CastVersion;
  /** Empty: nothing is redacted. */
  readonly rules: readonly SecretRule[];
  /** The limit of the file, in bytes. */
  readonly maxBytes: number;
  /** The time of the recording's beginning, by the monotonic clock, in ms. */
  readonly beganMs: number;
  /** Called when the limit is reached. */
  readonly onFull: () => void;
}

/**
 * Writes what happens in a session to a file. It never delays the session: what the disk cannot take in
 * time is left out, which a marker says, and a dump makes the rest right.
 */
export class FileRecording implements RecordConsumer, Disposable {
  readonly #parts: FileRecordingParts;
  readonly #encoder: CastEncoder;
  readonly #redactor: EventRedactor | null;
  readonly #decoder = new Utf8Decoder();
  /** Encoded, and not yet given to the file. */
  #lines = '';
  #timer: Disposable | null = null;
  /** Output that was left out; null while all is recorded. */
  #leftOutBytes: number | null = null;
  /** The place that the file says last. */
  #placedAt = -1;
  #isFull = false;
  /** The exit is the last event. */
  #isOver = false;

  /** @param writtenMs continues a file whose last event has this time */
  constructor(parts: FileRecordingParts, writtenMs = 0) {
    this.#parts = parts;
    this.#encoder = new CastEncoder(parts.version, writtenMs);
    this.#redactor = parts.rules.length === 0 ? null : new EventRedactor(parts.rules);
  }

  get bytes(): number {
    return this.#parts.file.bytes + this.#lines.length;
  }

  /** Begins a new file: its header, and the screen as it is. */
  begin(header: RecordingHeader): void {
    const { rules } = this.#parts;
    this.#lines += this.#encoder.header(redactHeader(header, rules));
    this.#add({ type: 'output', text: this.#dump() });
  }

  output(bytes: Uint8Array): void {
    if (this.#leftOutBytes !== null) this.#leaveOut(bytes.length);
    else this.#add({ type: 'output', text: this.#decoder.push(bytes) });
  }

  resized(size: Size): void {
    this.#add({ type: 'resize', size });
    // A player may have had other lines above the screen than the session.
    if (this.#leftOutBytes === null) this.redraw();
  }

  changed(change: PlacedChange): void {
    if (change.type === 'exit') {
      this.#endLeavingOut();
      this.#isOver = true;
    }
    this.#add(eventOf(change));
  }

  /** Draws the screen as it is, because a player may show something else. */
  redraw(): void {
    // A character that is incomplete is lost; the dump has its beginning.
    this.#add({ type: 'output', text: this.#decoder.end() + reset + this.#dump() });
  }

  /** Writes all that is held back. Resolves with the reason if the file is not complete. */
  async close(): Promise<Error | null> {
    this.#endLeavingOut();
    for (const event of this.#redactor?.end() ?? []) this.#lines += this.#encoder.event(event);
    this.#flush();
    this.dispose();
    return this.#parts.file.close();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = null;
  }

  #dump(): string {
    return decodeUtf8(this.#parts.source.terminal.snapshot({ scrollbackLines: 0 }).dump);
  }

  #leaveOut(count: number): void {
    this.#leftOutBytes = (this.#leftOutBytes ?? 0) + count;
    if (this.#parts.file.waitingBytes <= littleWaiting) this.#endLeavingOut();
  }

  /** Says what was left out, if anything was, and draws the screen as it is. */
  #endLeavingOut(): void {
    const count = this.#leftOutBytes;
    if (count === null) return;
    this.#add({ type: 'marker', label: `vtr: ${(count / 1e6).toFixed(1)} MB left out` });
    this.redraw();
    this.#leftOutBytes = null;
  }

  #add(event: WithoutTime<RecordedEvent>): void {
    if (this.#isFull || (event.type === 'output' && event.text === '')) return;
    const { clock, beganMs, file, maxBytes } = this.#parts;
    const timed = { ...event, atMs: Math.max(0, clock.nowMs() - beganMs) };
    for (const each of this.#redactor?.push(timed) ?? [timed]) {
      this.#lines += this.#encoder.event(each);
    }
    if (this.bytes > maxBytes) {
      this.#isFull = true;
      this.#parts.onFull();
    } else if (this.#lines.length >= flushLength) this.#flush();
    else this.#timer ??= clock.schedule(flushMs, () => this.#flush());
    if (file.waitingBytes > maxWaiting && !this.#isOver) this.#leftOutBytes ??= 0;
  }

  #flush(): void {
    this.#timer?.dispose();
    this.#timer = null;
    this.#notePlace();
    if (this.#lines === '') return;
    this.#parts.file.write(this.#lines);
    this.#lines = '';
  }

  /**
   * Says up to which output the file is complete, and the time of its last event, so that another
   * coordinator can go on after it has read the end of the file only.
   */
  #notePlace(): void {
    const offset = this.#parts.source.outputEnd - this.#decoder.pendingBytes;
    const isComplete = this.#leftOutBytes === null && !this.#redactor?.isHolding;
    // Markers after a place are lost with it, so that another place follows them.
    const isNew = offset !== this.#placedAt || this.#lines !== '';
    if (!isNew || !isComplete || this.#isOver) return;
    this.#placedAt = offset;
    const note = { offset, ms: this.#encoder.writtenMs };
    this.#lines += this.#encoder.event({ atMs: 0, type: 'note', note });
  }
}

type WithoutTime<T> = T extends unknown ? Omit<T, 'atMs'> : never;
