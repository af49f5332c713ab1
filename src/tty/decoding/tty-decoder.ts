import { encodeUtf8, Utf8Decoder } from '#base';
import { pasteEnd } from '#keys';
import type { MouseEncoding } from '#model';
import { Interpreter } from './interpreter.ts';
import { type Input, type Scanned, scanString, scanToken } from './scan.ts';
import type { Token } from './token.ts';
import type { TtyEvent } from './tty-event.ts';

/**
 * For how long, in ms, what is incomplete waits for more. `key`: it may be a key by itself, such as
 * ESC. `sequence`: nobody types it, but a slow connection may split it.
 */
const patienceMs = { key: 25, sequence: 500, paste: 5_000 } as const;

/** The beginnings of sequences that are also keys; `^` stands for ESC. */
const keyLike: ReadonlySet<string> = new Set([
  '^',
  '^^',
  '^[',
  '^O',
  '^^[',
  '^^O',
  '^]',
  '^P',
  '^_',
]);

const disambiguates = 1;

/**
 * Decodes what a terminal sends: keys in the encodings of xterm, the VT220, rxvt, the Linux console
 * and the kitty keyboard protocol; pastes, the mouse, the focus, and answers. Any chunks give the
 * same events. No byte is lost: each is part of an event. Holds back at most 4 KiB of a sequence and
 * 1 MiB of a paste.
 */
export class TtyDecoder {
  readonly #interpreter = new Interpreter();
  #rest = new Uint8Array();
  #paste: PasteCollector | null = null;
  /** The parts of the paste that were reported. */
  #parts = 0;
  /** The introducer of a string of which parts were reported. */
  #openString: string | null = null;

  /** Decodes bytes that were read. */
  feed(bytes: Uint8Array): TtyEvent[] {
    const all = new Uint8Array(this.#rest.length + bytes.length);
    all.set(this.#rest);
    all.set(bytes, this.#rest.length);
    return this.#decode(all, false);
  }

  /**
   * For how long to wait for more bytes until {@link flush}, in ms: 25, 500 or 5000. Null if
   * nothing waits.
   */
  get waitMs(): number | null {
    if (this.#paste) return patienceMs.paste;
    if (this.#rest.length === 0) return this.#openString === null ? null : patienceMs.sequence;
    const text = String.fromCharCode(...this.#rest.subarray(0, 4)).replaceAll('\x1b', '^');
    const isKey = keyLike.has(text) && (this.kittyFlags & disambiguates) === 0;
    return isKey ? patienceMs.key : patienceMs.sequence;
  }

  /** Whether {@link flush} without an argument decodes something: 25 ms are enough. */
  get pending(): boolean {
    return this.waitMs === patienceMs.key;
  }

  /** Decodes what is incomplete, if it waits no longer than `silentMs`, for which no bytes came. */
  flush(silentMs: number = patienceMs.key): TtyEvent[] {
    const { waitMs } = this;
    return waitMs === null || waitMs > silentMs ? [] : this.#decode(this.#rest, true);
  }

  /**
   * The flags of the kitty keyboard protocol that are set in the terminal, 0..31. If the first is
   * set, ESC is never a key and waits as long as other sequences.
   */
  get kittyFlags(): number {
    return this.#interpreter.kittyFlags;
  }
  set kittyFlags(flags: number) {
    this.#interpreter.kittyFlags = flags;
  }

  /** What backspace sends: 0x08 or 0x7f, the terminal's VERASE. Default: 0x7f. */
  set backspaceCode(code: number) {
    this.#interpreter.backspaceCode = code;
  }

  /** What the terminal was told to send of the mouse. Default: `sgr`. */
  set mouseEncoding(encoding: MouseEncoding) {
    this.#interpreter.mouse.encoding = encoding;
  }

  /** The size of a cell in pixels, for the encoding `sgrPixels`. Default: 1x1. */
  set cellPixels(size: { readonly width: number; readonly height: number }) {
    this.#interpreter.mouse.cellSize = size;
  }

  #decode(bytes: Uint8Array, ends: boolean): TtyEvent[] {
    const input = { bytes, ends, utf8Mouse: this.#interpreter.mouse.encoding === 'utf8' };
    const events: TtyEvent[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.#paste) {
        at = this.#addToPaste(this.#paste, bytes, at, events);
        continue;
      }
      const scanned = this.#scan(input, at);
      if (scanned === null) break;
      this.#accept(scanned.token, bytes.slice(at, at + scanned.length), events);
      at += scanned.length;
    }
    this.#rest = bytes.slice(at);
    if (ends) this.#end(events);
    return events;
  }

  #scan(input: Input, from: number): Scanned | null {
    const introducer = this.#openString;
    return introducer === null
      ? scanToken(input, from)
      : scanString(input, { from, start: from, introducer, isPart: true });
  }

  #accept(token: Token, bytes: Uint8Array, events: TtyEvent[]): void {
    this.#openString = token.kind === 'string' && token.continues ? token.introducer : null;
    if (token.kind === 'pasteBegin') this.#paste = new PasteCollector();
    else if (bytes.length > 0) {
      for (const event of this.#interpreter.eventsOf(token, bytes)) events.push(event);
    }
  }

  #addToPaste(paste: PasteCollector, bytes: Uint8Array, from: number, events: TtyEvent[]): number {
    const at = paste.add(bytes, from);
    if (paste.isEnded) this.#endPaste(paste, events);
    else if (paste.isFull) events.push(this.#partOf(paste.takePart()));
    return at;
  }

  #partOf(text: string): TtyEvent {
    const part = this.#parts++;
    return { type: 'paste', text, ...(part > 0 && { part }) };
  }

  #endPaste(paste: PasteCollector, events: TtyEvent[]): void {
    this.#paste = null;
    events.push(this.#partOf(paste.takeAll()));
    this.#parts = 0;
  }

  #end(events: TtyEvent[]): void {
    if (this.#paste) this.#endPaste(this.#paste, events);
    this.#openString = null;
  }
}

/**
 * Longer pastes come in parts. A part can be sent by one call, which accepts 1 MiB, together with the marks of a
 * paste and a character that began in the part before.
 */
const maxPartBytes = 1024 * 1024 - 32;

/** What a byte that is not ASCII may need in the text: U+FFFD has three. */
const maxTextBytesOf = (byte: number): number => (byte < 0x80 ? 1 : 3);

const endMark = encodeUtf8(pasteEnd);

/** Collects the text of a paste up to its end mark, which may come in pieces. */
class PasteCollector {
  readonly #utf8 = new Utf8Decoder();
  #bytes = new Uint8Array(4096);
  #length = 0;
  /** The most that the text so far can have in UTF-8. */
  #textBytes = 0;
  /** How many of the last bytes may begin the end mark. */
  #matched = 0;

  /**
   * Adds bytes from an offset on, and returns the offset at which it stopped: after the last, or
   * where `isFull` or `isEnded` became true.
   */
  add(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length && !this.isFull && !this.isEnded) this.#push(bytes[at++] ?? 0);
    return at;
  }

  /** Whether {@link takePart} must be called before more is added. */
  get isFull(): boolean {
    return this.#textBytes >= maxPartBytes;
  }

  get isEnded(): boolean {
    return this.#matched === endMark.length;
  }

  /** Returns the text so far. */
  takePart(): string {
    const end = this.#length - this.#matched;
    const text = this.#utf8.push(this.#bytes.subarray(0, end));
    this.#bytes.copyWithin(0, end, this.#length);
    this.#length = this.#matched;
    this.#textBytes = this.#matched;
    return text;
  }

  /** Returns the rest of the text, also if its end mark has not come. */
  takeAll(): string {
    const end = this.isEnded ? this.#length - endMark.length : this.#length;
    return this.#utf8.push(this.#bytes.subarray(0, end)) + this.#utf8.end();
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
    this.#textBytes += maxTextBytesOf(byte);
    // Only its first byte is ESC, so what fails to match can begin the mark with its last byte only.
    if (byte === endMark[this.#matched]) this.#matched++;
    else this.#matched = byte === endMark[0] ? 1 : 0;
  }
}
