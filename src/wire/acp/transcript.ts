import { Utf8Decoder } from '#base';

/** Whether control functions (colours, cursor movements, titles) are removed or kept. */
export type EscapeMode = 'strip' | 'keep';

/**
 * The output of a program as growing text: an earlier read is the beginning of a later one, until the
 * limit is exceeded; then only the end is kept. The text does not depend on how output is chunked.
 */
export class Transcript {
  readonly #characters = new Utf8Decoder();
  readonly #escapes: EscapeMode;
  #functions: ControlFunctions | null = null;
  #lineEnds = new LineEnds();
  readonly #text: KeptText;
  /** Absolute offset of the next byte of output. */
  #offset = 0;

  constructor(maxBytes: number, escapes: EscapeMode) {
    this.#text = new KeptText(maxBytes);
    this.#escapes = escapes;
    this.#begin();
  }

  get offset(): number {
    return this.#offset;
  }

  get truncated(): boolean {
    return this.#text.truncated;
  }

  /** Adds output. Bytes before the current offset are ignored. After missing output the text starts again. */
  push(offset: number, bytes: Uint8Array): void {
    const count = this.#offset - offset;
    if (count >= bytes.length) return;
    this.skipTo(offset);
    this.#offset = offset + bytes.length;
    this.#append(this.#characters.push(count > 0 ? bytes.subarray(count) : bytes));
  }

  /** Records that the output up to `offset` is lost. */
  skipTo(offset: number): void {
    if (offset <= this.#offset) return;
    this.#characters.end();
    this.#begin();
    this.#text.cut();
    this.#offset = offset;
  }

  /** Records the end of output. */
  end(): void {
    this.#append(this.#characters.end());
    this.#text.append(this.#lineEnds.end());
  }

  toString(): string {
    return this.#text.toString();
  }

  /** Resets the parsers: a control function does not continue after a gap. */
  #begin(): void {
    this.#functions = this.#escapes === 'strip' ? new ControlFunctions() : null;
    this.#lineEnds = new LineEnds();
  }

  #append(text: string): void {
    const shown = this.#functions === null ? text : this.#functions.push(text);
    this.#text.append(this.#lineEnds.push(shown));
  }
}

/**
 * Converts line ends of text in chunks to line feeds. A terminal adds a carriage return before each
 * line feed, also where the program wrote one. Other carriage returns stay, because progress bars use
 * them; several in a row become one. Those at the end of a chunk wait for the next one.
 */
class LineEnds {
  #waiting = false;

  push(text: string): string {
    if (text === '') return '';
    const joined = this.#waiting ? `\r${text}` : text;
    const end = endBeforeReturns(joined);
    this.#waiting = end < joined.length;
    return withLineFeeds(joined.slice(0, end));
  }

  end(): string {
    const rest = this.#waiting ? '\r' : '';
    this.#waiting = false;
    return rest;
  }
}

function withLineFeeds(text: string): string {
  const usual = text.replaceAll('\r\n', '\n');
  if (!usual.includes('\r')) return usual;
  return usual.replace(/\r+\n?/g, (run) => (run.endsWith('\n') ? '\n' : '\r'));
}

function endBeforeReturns(text: string): number {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\r') end--;
  return end;
}

/**
 * The position in a control function of ECMA-48. `string` follows DCS, SOS, PM and APC, up to ST;
 * `osc` likewise, but BEL ends it too, as in xterm.
 */
type State = 'text' | 'escape' | 'intermediate' | 'csi' | 'osc' | 'string';

const esc = 0x1b;
const can = 0x18;
const sub = 0x1a;
const st = 0x9c;
/** C1 controls that introduce a function; after ESC they are the letter 0x40 below. */
const introducers: ReadonlyMap<number, State> = new Map([
  [0x90, 'string'],
  [0x98, 'string'],
  [0x9b, 'csi'],
  [0x9d, 'osc'],
  [0x9e, 'string'],
  [0x9f, 'string'],
]);

/** Control characters. Tab, line feed and carriage return are text. */
const control = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Characters that can end a string. */
const endOfString = /[\x07\x18\x1a\x1b\x9c]/g;

/**
 * Removes control functions and control characters from text in chunks. A function may be split
 * between chunks. Buffers no text, however long a function is.
 */
class ControlFunctions {
  #state: State = 'text';

  push(text: string): string {
    let tail = '';
    for (let at = 0; at < text.length; ) {
      if (this.#state === 'text') {
        const end = next(control, text, at);
        tail += text.slice(at, end);
        at = end;
      } else if (this.#state === 'osc' || this.#state === 'string') {
        at = next(endOfString, text, at);
      }
      if (at < text.length) at += this.#take(text.charCodeAt(at));
    }
    return tail;
  }

  /** Returns the number of characters consumed: 0 if the character ends the function and is read again as text. */
  #take(code: number): 0 | 1 {
    if (code === esc) return this.#enter('escape');
    if (code === can || code === sub) return this.#enter('text');
    switch (this.#state) {
      case 'text':
        return this.#enter(introducers.get(code) ?? 'text');
      case 'osc':
        return this.#enter('text');
      case 'string':
        return this.#enter(code === st ? 'text' : 'string');
      case 'escape':
        return this.#escape(code);
      case 'intermediate':
        return this.#within(code, 0x30);
      case 'csi':
        return this.#within(code, 0x40);
    }
  }

  #enter(state: State): 1 {
    this.#state = state;
    return 1;
  }

  #escape(code: number): 0 | 1 {
    if (code >= 0x20 && code < 0x30) return this.#enter('intermediate');
    if (code >= 0x40 && code < 0x60) {
      return this.#enter(introducers.get(code + 0x40) ?? 'text');
    }
    return this.#within(code, 0x30);
  }

  /** @param firstFinal the lowest character that ends the function */
  #within(code: number, firstFinal: number): 0 | 1 {
    // A terminal executes a control inside a function and continues the function.
    if (code < 0x20) return isText(code) ? this.#leave() : 1;
    if (code >= 0x7f) return code === 0x7f ? 1 : this.#leave();
    if (code >= firstFinal) this.#state = 'text';
    return 1;
  }

  /** Any other character ends the function, so that an incomplete one swallows no text. */
  #leave(): 0 {
    this.#state = 'text';
    return 0;
  }
}

const isText = (code: number): boolean => code === 0x09 || code === 0x0a || code === 0x0d;

function next(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

/** Initial size of the buffer. It grows on demand, up to twice the limit. */
const firstBytes = 4 * 1024;

/** A piece of the text, by offsets in the buffer. */
interface Piece {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

const nothing: Piece = { text: '', from: 0, to: 0 };

/** The end of a growing text, limited in bytes of UTF-8; truncated between two characters. */
class KeptText {
  readonly #maxBytes: number;
  #buffer: Buffer;
  #used = 0;
  #truncated = false;
  #lastRead = nothing;

  /** @param maxBytes 0 and up */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#buffer = Buffer.allocUnsafe(Math.min(firstBytes, 2 * maxBytes));
  }

  /** Whether the beginning was dropped. */
  get truncated(): boolean {
    return this.#truncated || this.#used > this.#maxBytes;
  }

  append(text: string): void {
    if (text === '') return;
    const added = Buffer.from(text);
    if (added.length >= this.#maxBytes) {
      this.#keepOnly(added);
      return;
    }
    if (this.#used + added.length > this.#buffer.length) this.#makeSpace(added.length);
    this.#used += added.copy(this.#buffer, this.#used);
  }

  /** Drops the text so far, because text after it was lost. */
  cut(): void {
    this.#truncated = true;
    this.#used = 0;
    this.#lastRead = nothing;
  }

  /** Decodes only what changed since the last call. */
  toString(): string {
    const from = this.#start();
    const { text, ...last } = this.#lastRead;
    if (last.to <= from) {
      this.#lastRead = { text: this.#text(from, this.#used), from, to: this.#used };
    } else if (last.from < from || last.to < this.#used) {
      const gone = this.#text(last.from, from).length;
      const whole = text.slice(gone) + this.#text(last.to, this.#used);
      this.#lastRead = { text: whole, from, to: this.#used };
    }
    return this.#lastRead.text;
  }

  #text(from: number, to: number): string {
    return this.#buffer.toString('utf8', from, to);
  }

  /** Start of the kept text. */
  #start(): number {
    return characterAt(this.#buffer, Math.max(0, this.#used - this.#maxBytes), this.#used);
  }

  /** For text at or over the limit: replaces everything. */
  #keepOnly(added: Buffer): void {
    const start = characterAt(added, added.length - this.#maxBytes, added.length);
    if (this.#used > 0 || start > 0) this.cut();
    this.#buffer = Buffer.allocUnsafe(2 * this.#maxBytes);
    this.#used = added.copy(this.#buffer, 0, start);
  }

  /** The kept text fills at most half of the largest buffer, and the new text less than half. */
  #makeSpace(count: number): void {
    const start = this.#start();
    const rest = this.#buffer.subarray(start, this.#used);
    if (start > 0) {
      this.#truncated = true;
      this.#lastRead = nothing;
    }
    if (this.#buffer.length < 2 * this.#maxBytes) {
      const bytes = 2 * Math.max(this.#buffer.length, rest.length + count);
      this.#buffer = Buffer.allocUnsafe(Math.min(bytes, 2 * this.#maxBytes));
    }
    this.#used = rest.copy(this.#buffer);
  }
}

/** Returns the first offset, from `from` on, that is not inside a character. */
function characterAt(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at > 0 && at < end && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
