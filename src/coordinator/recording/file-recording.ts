import { type Clock, type Disposable, Utf8Decoder } from '#base';
import { eraseOutput, type ScreenPlace, type Size } from '#model';
import {
  type CastVersion,
  CastWriter,
  EventRedactor,
  lineEnd,
  type RecordedEvent,
  type SecretRule,
  SecretWords,
} from '#recording';
import type { PlacedChange, RecordConsumer } from '#watch';
import { eventOf, type TerminalAtCursor, textBefore } from '../cast-events.ts';
import type { RecordingFile } from './recording-store.ts';

/** Lines are written after this time, in ms, or this many bytes. */
const flushMs = 250;
const flushLength = 64 * 1024;
/** What may wait for the disk, in bytes. More output is left out until little is waiting. */
const maxWaiting = 8 * 1024 * 1024;
const littleWaiting = 1024 * 1024;
/** Output within this time is one event, in ms: recordings have a resolution of 1 ms. */
const joinedMs = 1;
/** Shorter output is copied, so that it can be joined, in bytes. */
const maxJoined = 32 * 1024;
/** Lines that may have a secret are searched in parts of about this many bytes. */
const searchedBytes = 512;
/** Resets a terminal before a dump; lines above the screen stay. */
const reset = '\x1bc';

/** The session as it is recorded. */
export interface FileSource {
  readonly outputEnd: number;
  readonly terminal: TerminalAtCursor & {
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
  /** Output that is not encoded yet. */
  #joined = new Uint8Array(0);
  #joinedLength = 0;
  #joinedAtMs = 0;
  /** Lines that the file has not taken yet. */
  readonly #lines: CastWriter;
  readonly #redactor: EventRedactor | null;
  /** Null: a secret can be anywhere. */
  #words: SecretWords | null;
  /** The words of the rules of which these are. */
  #wordsOf: readonly SecretRule['words'][];
  readonly #decoder = new Utf8Decoder();
  readonly #inputDecoder = new Utf8Decoder();
  #isInputLeftOut = false;
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
    this.#lines = new CastWriter(parts.version, writtenMs);
    this.#redactor = parts.rules.length === 0 ? null : new EventRedactor(parts.rules);
    this.#words = SecretWords.of(parts.rules);
    this.#wordsOf = parts.rules.map((rule) => rule.words);
  }

  get bytes(): number {
    return this.#parts.file.bytes + this.#lines.length + this.#joinedLength;
  }

  /** Begins a new file, which has its header already: the screen as it is. */
  begin(): void {
    this.#draw('');
  }

  output(bytes: Uint8Array): void {
    if (this.#leftOutBytes !== null) this.#leaveOut(bytes.length);
    else this.#join(bytes);
  }

  /** @param bytes what was typed; null for input that is not recorded, which a marker says */
  input(bytes: Uint8Array | null): void {
    if (bytes !== null) this.#add({ type: 'input', text: this.#inputDecoder.push(bytes) });
    else if (!this.#isInputLeftOut) this.#add({ type: 'marker', label: 'vtr: input left out' });
    this.#isInputLeftOut = bytes === null;
  }

  resized(size: Size, _atMs?: number, erasedFrom?: ScreenPlace): void {
    const isComplete = this.#leftOutBytes === null;
    // Otherwise a part of the prompt would wrap to rows that the player moves above the screen.
    if (erasedFrom !== undefined && isComplete) {
      this.#add({ type: 'output', text: eraseOutput(erasedFrom) });
    }
    this.#add({ type: 'resize', size });
    // A player may have had other lines above the screen than the session.
    if (isComplete) this.redraw();
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
    this.#addJoined();
    // The dump has the beginning of a character that is incomplete.
    this.#decoder.end();
    this.#draw(reset);
  }

  /** Adds a marker with the number of missing bytes of output, and draws the screen as it is. */
  leftOut(count: number): void {
    const size = count < 1e5 ? `${Math.ceil(count / 1e3)} KB` : `${(count / 1e6).toFixed(1)} MB`;
    this.#add({ type: 'marker', label: `vtr: ${size} left out` });
    this.redraw();
  }

  /** Writes all that is held back. Resolves with the reason if the file is not complete. */
  async close(): Promise<Error | null> {
    this.#endLeavingOut();
    this.#addJoined();
    for (const event of this.#redactor?.end() ?? []) this.#lines.event(event);
    this.#flush();
    this.dispose();
    return this.#parts.file.close();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = null;
  }

  /** If the dump ends within a character, the output that follows completes it. */
  #draw(begin: string): void {
    const { rules, source } = this.#parts;
    const { dump } = source.terminal.snapshot({ scrollbackLines: 0 });
    const text = begin + this.#decoder.push(dump);
    const before = rules.length === 0 ? '' : textBefore(source.terminal);
    this.#add({ type: 'output', text, before });
  }

  #leaveOut(count: number): void {
    this.#leftOutBytes = (this.#leftOutBytes ?? 0) + count;
    if (this.#parts.file.waitingBytes <= littleWaiting) this.#endLeavingOut();
  }

  /** Says what was left out, if anything was, and draws the screen as it is. */
  #endLeavingOut(): void {
    const count = this.#leftOutBytes;
    if (count === null) return;
    this.leftOut(count);
    this.#leftOutBytes = null;
  }

  /** A program that floods is read in many small parts. */
  #join(bytes: Uint8Array): void {
    if (this.#isFull) return;
    const atMs = this.#nowMs;
    const length = this.#joinedLength + bytes.length;
    if (length > maxJoined || atMs - this.#joinedAtMs >= joinedMs) this.#addJoined();
    if (bytes.length > maxJoined) this.#addOutput(bytes, atMs);
    else {
      if (this.#joinedLength === 0) this.#joinedAtMs = atMs;
      this.#reserve(this.#joinedLength + bytes.length);
      this.#joined.set(bytes, this.#joinedLength);
      this.#joinedLength += bytes.length;
    }
    this.#added();
  }

  #reserve(length: number): void {
    if (this.#joined.length >= length) return;
    const joined = new Uint8Array(Math.min(maxJoined, 2 * length));
    joined.set(this.#joined.subarray(0, this.#joinedLength));
    this.#joined = joined;
  }

  #addJoined(): void {
    const joined = this.#joined.subarray(0, this.#joinedLength);
    this.#joinedLength = 0;
    this.#addOutput(joined, this.#joinedAtMs);
  }

  /** Most output is clean; only lines that may not be are decoded and searched. */
  #addOutput(bytes: Uint8Array, atMs: number): void {
    this.#renewWords();
    const words = this.#words;
    for (let at = 0; at < bytes.length; ) {
      const isAtLine = words !== null && this.#isAtLine;
      if (isAtLine) at = this.#lines.cleanOutput(atMs, bytes, at, words);
      if (at === bytes.length) break;
      const end = this.#searchedEnd(bytes, isAtLine ? at + searchedBytes : at);
      const text = this.#decoder.push(bytes.subarray(at, end));
      if (text !== '') this.#addEvent({ type: 'output', text, atMs });
      at = end;
    }
  }

  /** Secrets are learned while the session is recorded. */
  #renewWords(): void {
    const { rules } = this.#parts;
    if (rules.every((rule, index) => rule.words === this.#wordsOf[index])) return;
    this.#wordsOf = rules.map((rule) => rule.words);
    this.#words = SecretWords.of(rules);
  }

  #searchedEnd(bytes: Uint8Array, from: number): number {
    return this.#words === null ? bytes.length : lineEnd(bytes, from);
  }

  get #isAtLine(): boolean {
    return this.#decoder.pendingBytes === 0 && this.#redactor?.isAtLine !== false;
  }

  get #nowMs(): number {
    const { clock, beganMs } = this.#parts;
    return Math.max(0, clock.nowMs() - beganMs);
  }

  #add(event: WithoutTime<RecordedEvent>): void {
    if (this.#isFull || ('text' in event && event.text === '')) return;
    this.#addJoined();
    this.#addEvent({ ...event, atMs: this.#nowMs });
    this.#added();
  }

  #addEvent(event: RecordedEvent): void {
    for (const each of this.#redactor?.push(event) ?? [event]) this.#lines.event(each);
  }

  /** Writes what is due. */
  #added(): void {
    const { clock, file, maxBytes } = this.#parts;
    if (this.bytes > maxBytes) {
      this.#isFull = true;
      this.#parts.onFull();
    } else if (this.#lines.length + this.#joinedLength >= flushLength) this.#flush();
    else this.#timer ??= clock.schedule(flushMs, () => this.#flush());
    if (file.waitingBytes > maxWaiting && !this.#isOver) this.#leftOutBytes ??= 0;
  }

  #flush(): void {
    this.#timer?.dispose();
    this.#timer = null;
    this.#addJoined();
    this.#notePlace();
    if (this.#lines.length > 0) this.#parts.file.write(this.#lines.take());
  }

  /**
   * Says up to which output the file is complete, and the time of its last event, so that another
   * coordinator can go on after it has read the end of the file only.
   */
  #notePlace(): void {
    const offset = this.#parts.source.outputEnd - this.#decoder.pendingBytes;
    const isComplete = this.#leftOutBytes === null && !this.#redactor?.isHolding;
    // Markers after a place are lost with it, so that another place follows them.
    const isNew = offset !== this.#placedAt || this.#lines.length > 0;
    if (!isNew || !isComplete || this.#isOver) return;
    this.#placedAt = offset;
    const note = { offset, ms: this.#lines.writtenMs };
    this.#lines.event({ atMs: 0, type: 'note', note });
  }
}

type WithoutTime<T> = T extends unknown ? Omit<T, 'atMs'> : never;
