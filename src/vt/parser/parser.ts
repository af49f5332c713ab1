import { Params } from './params.ts';
import { maxStringBytes, StringCollector } from './string-collector.ts';
import { incomplete, replacementCharacter, Utf8Decoder } from './utf8-decoder.ts';

/** Receives parsed output, in the order of the bytes. */
export interface ParserSink {
  /**
   * Prints a run of bytes 0x20..0x7E that begins at `start`. The sink determines its length.
   * Returns where the run ends.
   */
  printAscii(bytes: Uint8Array, start: number, end: number): number;
  /**
   * Prints characters from `start` on; the first is not ASCII. The sink stops at the first
   * character that it cannot print this way, possibly the first. Returns where it stopped.
   */
  printUtf8(bytes: Uint8Array, start: number, end: number): number;
  /** Prints the first `count` code points, at least one of them U+00A0 or above. */
  print(codePoints: Int32Array, count: number): void;
  /** Executes DEL between sequences, or a C0 control other than ESC, CAN and SUB. */
  execute(control: number): void;
  escape(key: number): void;
  csi(key: number, params: Params): void;
  /**
   * Applies sequences, text and controls from `start` on, where a control sequence begins, as the
   * other methods do, as long as they are in a form that is very frequent and complete. Returns
   * where it stopped, possibly at `start`.
   */
  plain(bytes: Uint8Array, start: number, end: number): number;
  /** Whether the parser must stop here for now. The caller of `feed` resets it. */
  readonly stop: { readonly now: boolean };
  /**
   * @param bel whether BEL ended the string, rather than ST
   * @param offset absolute offset of its first byte
   */
  osc(payload: Uint8Array, bel: boolean, offset: number): void;
  /** Whether single bytes 0x80..0x9F are C1 controls; they are not valid UTF-8. */
  readonly eightBitControls: boolean;
  /** Whether to collect the payload of this device control string. Other payloads are skipped. */
  wantsDcs(key: number): boolean;
  dcs(key: number, params: Params, payload: Uint8Array): void;
}

/**
 * Returns the key of a control function: its final byte, the intermediate bytes before it, and the
 * private marker (`<`, `=`, `>`, `?`) before its parameters.
 */
export function functionKey(prefix: string, intermediates: string, final: string): number {
  let key = 0;
  for (const byte of intermediates) key = (key << 8) | byte.charCodeAt(0);
  const lead = prefix === '' ? 0 : prefix.charCodeAt(0);
  return (lead << 24) | (key << 8) | final.charCodeAt(0);
}

const bel = 0x07;
const can = 0x18;
const sub = 0x1a;
const esc = 0x1b;
const del = 0x7f;
/** The second byte of ST (U+009C) in UTF-8. The first is {@link c1Lead}. */
const st = 0x9c;
const c1Lead = 0xc2;
const maxIntermediates = 2;
/** Maximum number of bytes before the last byte of a UTF-8 character. */
const maxTail = 3;
const noBytes = new Uint8Array(0);
/** Maximum number of non-ASCII characters per call of the sink. */
const maxRun = 256;
/** The characters of a call of the sink. All parsers share it: no sink calls a parser when it prints. */
const codePoints = new Int32Array(maxRun);

// The bytes after ESC that introduce a sequence or a string.
const csi = 0x5b;
const dcs = 0x50;
const osc = 0x5d;
const sos = 0x58;
const pm = 0x5e;
const apc = 0x5f;
/** `ESC k TITLE ST` of screen and tmux: shells print it where TERM is theirs, and xterm would print the title. */
const windowName = 0x6b;

type State =
  | 'ground'
  | 'escape'
  /** In the parameters and intermediates of a control sequence or a device control string. */
  | 'csi'
  | 'dcs'
  /** In the payload of a control string. */
  | 'string';

type StringKind = 'osc' | 'dcs' | 'ignored';

/** Returns where the last character begins if it may be incomplete, otherwise the length. */
function characterStart(bytes: Uint8Array): number {
  const lead = bytes.findLastIndex((byte) => (byte & 0xc0) !== 0x80);
  return lead >= 0 && bytes[lead] >= c1Lead ? lead : bytes.length;
}

function isPrivateMarker(byte: number): boolean {
  return byte >= 0x3c && byte < 0x40;
}

/**
 * Parses a stream of bytes into characters, controls and control functions. This is the state
 * machine for DEC terminals by Paul Williams, with UTF-8 in place of GL and GR. C1 controls are
 * recognised in their UTF-8 form. A byte 0x80..0x9F that is not part of a character is ill-formed
 * or, if the sink says so, a C1 control.
 *
 * The parser accepts any bytes. How they are split into chunks makes no difference.
 */
export class Parser {
  readonly #sink: ParserSink;
  readonly #stop: ParserSink['stop'];
  readonly #params = new Params();
  readonly #string = new StringCollector();
  readonly #utf8 = new Utf8Decoder();

  #state: State = 'ground';
  #stringKind: StringKind = 'ignored';
  #prefix = 0;
  #intermediates = 0;
  #intermediateCount = 0;
  /** The sequence is malformed: it is ignored up to and including its final byte. */
  #malformed = false;
  #dcsKey = 0;
  /** Absolute offset of the first byte of the chunk. */
  #offset = 0;
  /** Absolute offset of the first byte of the string. */
  #stringOffset = 0;
  /**
   * The last bytes of the payload so far, for a character or an ST that continues in the next
   * chunk.
   */
  #tail: Uint8Array = noBytes;
  /** Whether the single byte of ST ends the string. */
  #stringEndsByByte = false;
  /** The first bytes of an incomplete character. */
  #rest: Uint8Array = noBytes;

  constructor(sink: ParserSink) {
    this.#sink = sink;
    this.#stop = sink.stop;
  }

  /**
   * Parses up to the end, or until the sink requests a stop. Returns the number of bytes parsed.
   *
   * @param offset absolute offset of the first byte
   */
  feed(bytes: Uint8Array, offset: number): number {
    const end = bytes.length;
    this.#offset = offset;
    let at = this.#rest.length > 0 ? this.#finishCharacter(bytes) : 0;
    while (at < end && !this.#stop.now) {
      switch (this.#state) {
        case 'ground':
          at = this.#ground(bytes, at, end);
          break;
        case 'escape':
          at = this.#escape(bytes, at, end);
          break;
        case 'string':
          at = this.#stringPayload(bytes, at, end);
          break;
        default:
          at = this.#sequence(bytes, at, end);
      }
    }
    return at;
  }

  /** Absolute offset of the first byte of the last control string that may not be complete. */
  get stringOffset(): number {
    return this.#stringOffset;
  }

  /** Used after {@link pending} was fed, which has no offset. */
  set stringOffset(offset: number) {
    this.#stringOffset = offset;
  }

  /** Allocated memory in bytes. */
  get bytes(): number {
    return this.#string.bytes + this.#rest.length;
  }

  /**
   * Returns bytes that bring a new parser into the state of this one, inside a sequence or a
   * character.
   */
  pending(): Uint8Array {
    if (this.#rest.length > 0) return this.#rest;
    if (this.#state === 'ground') return noBytes;
    const head = String.fromCharCode(esc, ...this.#pendingHead());
    const payload = this.#state === 'string' ? this.#pendingPayload() : noBytes;
    const all = new Uint8Array(head.length + payload.length);
    for (let index = 0; index < head.length; index++) all[index] = head.charCodeAt(index);
    all.set(payload, head.length);
    return all;
  }

  #pendingHead(): number[] {
    const intermediates = [this.#intermediates >> 8, this.#intermediates & 0xff].filter(Boolean);
    if (this.#state === 'escape') {
      return this.#malformed ? [...intermediates, intermediates[0]] : intermediates;
    }
    if (this.#state === 'string' && this.#stringKind === 'ignored') return [apc];
    if (this.#state === 'string' && this.#stringKind === 'osc') return [osc];
    const head = [this.#state === 'csi' ? csi : dcs];
    // A private marker after a parameter makes the new sequence malformed, too. Its other content
    // does not matter.
    if (this.#malformed) return [...head, 0x30, 0x3c];
    if (this.#prefix !== 0) head.push(this.#prefix);
    for (const char of this.#params.toString()) head.push(char.charCodeAt(0));
    head.push(...intermediates);
    if (this.#state === 'string') head.push(this.#dcsKey & 0xff);
    return head;
  }

  #pendingPayload(): Uint8Array {
    if (this.#stringKind !== 'ignored' && !this.#string.overflown) return this.#string.view();
    const filler = this.#string.overflown ? maxStringBytes + 1 : 0;
    const begun = this.#tail.subarray(characterStart(this.#tail));
    const payload = new Uint8Array(filler + begun.length).fill(0x78);
    payload.set(begun, filler);
    return payload;
  }

  #ground(bytes: Uint8Array, start: number, end: number): number {
    const sink = this.#sink;
    const stop = this.#stop;
    let at = start;
    while (at < end && !stop.now) {
      const byte = bytes[at];
      if (byte >= 0x20 && byte < del) {
        at = sink.printAscii(bytes, at, end);
      } else if (byte > del) {
        at = sink.printUtf8(bytes, at, end);
        if (at === end || bytes[at] < 0x80) continue;
        at = this.#characters(bytes, at, end);
        if (this.#state !== 'ground') return at;
      } else {
        at++;
        if (byte === esc) {
          if (at === end || bytes[at] !== csi) {
            this.#enterEscape();
            return at;
          }
          // CSI is by far the most frequent character after ESC.
          const next = sink.plain(bytes, at - 1, end);
          if (next >= at) {
            at = next;
            continue;
          }
          at = this.#controlSequence(bytes, at + 1, end);
          if (this.#state !== 'ground') return at;
        } else if (byte !== can && byte !== sub) sink.execute(byte);
      }
    }
    return at;
  }

  /**
   * Parses a control sequence after its CSI. A complete sequence of the common form is parsed in
   * one step.
   */
  #controlSequence(bytes: Uint8Array, start: number, end: number): number {
    const params = this.#params;
    const prefix = start < end && isPrivateMarker(bytes[start]) ? bytes[start] : 0;
    const at = params.readPlain(bytes, prefix === 0 ? start : start + 1, end);
    if (at < end) {
      const final = bytes[at];
      if (final >= 0x40 && final < del) {
        this.#sink.csi((prefix << 24) | final, params);
        return at + 1;
      }
    }
    this.#enterSequence('csi');
    return this.#sequence(bytes, start, end);
  }

  /** Decodes non-ASCII characters up to the first ASCII character. */
  #characters(bytes: Uint8Array, start: number, end: number): number {
    const points = codePoints;
    let count = 0;
    let at = start;
    while (at < end && count < maxRun && bytes[at] >= 0x80) {
      const codePoint = this.#decode(bytes, at, end);
      if (codePoint < 0xa0) break;
      points[count++] = codePoint;
      at = this.#utf8.next;
    }
    if (count > 0) this.#sink.print(points, count);
    if (at === end || count === maxRun || bytes[at] < 0x80) return at;
    const codePoint = this.#decode(bytes, at, end);
    if (codePoint === incomplete) {
      this.#rest = bytes.slice(at, end);
      return end;
    }
    this.#c1(codePoint, at);
    return this.#utf8.next;
  }

  #decode(bytes: Uint8Array, at: number, end: number): number {
    const codePoint = this.#utf8.decode(bytes, at, end);
    if (codePoint !== replacementCharacter || bytes[at] >= 0xa0) return codePoint;
    return this.#sink.eightBitControls ? bytes[at] : codePoint;
  }

  /**
   * Completes the character that the previous chunk began. Returns how many bytes of this chunk
   * belong to it.
   */
  #finishCharacter(bytes: Uint8Array): number {
    const rest = this.#rest;
    const joined = new Uint8Array(Math.min(4, rest.length + bytes.length));
    joined.set(rest);
    joined.set(bytes.subarray(0, joined.length - rest.length), rest.length);
    const codePoint = this.#utf8.decode(joined, 0, joined.length);
    if (codePoint === incomplete) {
      this.#rest = joined;
      return bytes.length;
    }
    this.#rest = noBytes;
    codePoints[0] = codePoint;
    if (codePoint < 0xa0) this.#c1(codePoint, -rest.length);
    else this.#sink.print(codePoints, 1);
    return this.#utf8.next - rest.length;
  }

  /** @param start index of its first byte in the chunk */
  #c1(control: number, start: number): void {
    // Every C1 control is equivalent to ESC and the byte 0x40 below it (ECMA-35 6.3.3).
    this.#enterEscape();
    this.#escapeFinal(control - 0x40, start);
  }

  #enterEscape(): void {
    this.#state = 'escape';
    this.#intermediates = 0;
    this.#intermediateCount = 0;
    this.#malformed = false;
  }

  #escape(bytes: Uint8Array, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const byte = bytes[at];
      if (byte >= 0x30 && byte < del) {
        this.#escapeFinal(byte, at - 1);
        return at + 1;
      }
      if (byte > del) return this.#abandon(at);
      if (byte < 0x20) {
        if (this.#control(byte) || this.#stop.now) return at + 1;
      } else if (byte !== del) this.#collect(byte);
    }
    return end;
  }

  #escapeFinal(final: number, start: number): void {
    this.#state = 'ground';
    if (this.#intermediateCount > 0) {
      if (!this.#malformed) this.#sink.escape((this.#intermediates << 8) | final);
      return;
    }
    switch (final) {
      case csi:
        this.#enterSequence('csi');
        break;
      case dcs:
        this.#enterSequence('dcs');
        break;
      case osc:
        this.#enterString('osc');
        this.#stringOffset = this.#offset + start;
        break;
      case sos:
      case pm:
      case apc:
      case windowName:
        this.#enterString('ignored');
        break;
      default:
        this.#sink.escape(final);
    }
  }

  #enterSequence(state: 'csi' | 'dcs'): void {
    this.#state = state;
    this.#params.clear();
    this.#prefix = 0;
    this.#intermediates = 0;
    this.#intermediateCount = 0;
    this.#malformed = false;
  }

  #enterString(kind: StringKind): void {
    this.#state = 'string';
    this.#stringKind = kind;
    this.#stringEndsByByte = this.#sink.eightBitControls;
    this.#tail = noBytes;
    this.#string.clear();
  }

  /** Parses `prefix? parameters intermediates final` of CSI and DCS. */
  #sequence(bytes: Uint8Array, start: number, end: number): number {
    const params = this.#params;
    let at = start;
    while (at < end) {
      const byte = bytes[at];
      if (byte >= 0x30 && byte <= 0x3b) {
        if (this.#intermediateCount > 0) this.#malformed = true;
        at = params.read(bytes, at, end);
      } else if (byte >= 0x40 && byte < del) {
        this.#sequenceFinal(byte);
        return at + 1;
      } else if (byte > del) return this.#abandon(at);
      else {
        at++;
        if (byte >= 0x3c) this.#privateMarker(byte);
        else if (byte >= 0x20) this.#collect(byte);
        else if (this.#control(byte) || this.#stop.now) return at;
      }
    }
    return at;
  }

  #privateMarker(byte: number): void {
    if (byte === del) return;
    const isFirst = this.#params.isEmpty && this.#prefix === 0 && this.#intermediateCount === 0;
    if (isFirst) this.#prefix = byte;
    else this.#malformed = true;
  }

  #collect(byte: number): void {
    if (this.#intermediateCount === maxIntermediates) this.#malformed = true;
    else {
      this.#intermediates = (this.#intermediates << 8) | byte;
      this.#intermediateCount++;
    }
  }

  #sequenceFinal(final: number): void {
    const key = (this.#prefix << 24) | (this.#intermediates << 8) | final;
    if (this.#state === 'dcs') {
      this.#dcsKey = key;
      this.#enterString(!this.#malformed && this.#sink.wantsDcs(key) ? 'dcs' : 'ignored');
      return;
    }
    this.#state = 'ground';
    if (this.#malformed) return;
    this.#sink.csi(key, this.#params);
  }

  /** Handles a C0 control inside a sequence. Returns true if it ends the sequence. */
  #control(byte: number): boolean {
    if (byte === esc) {
      this.#enterEscape();
      return true;
    }
    if (byte === can || byte === sub) {
      this.#state = 'ground';
      return true;
    }
    this.#sink.execute(byte);
    return false;
  }

  /**
   * Ends the sequence at a character that cannot be part of it. The character is then parsed as
   * text.
   */
  #abandon(at: number): number {
    this.#state = 'ground';
    return at;
  }

  #stringPayload(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end && bytes[at] >= 0x20 && (bytes[at] !== st || !this.#isSt(bytes, start, at))) {
      at++;
    }
    if (this.#stringKind !== 'ignored') this.#string.append(bytes, start, at);
    const isSt = at < end && bytes[at] === st;
    if (isSt && this.#lastByte(bytes, start, at) === c1Lead) this.#string.dropLast();
    this.#tail = at < end ? noBytes : this.#lastBytes(bytes, start, at);
    if (at === end) return end;
    this.#stringControl(bytes[at]);
    return at + 1;
  }

  /**
   * Whether the byte 0x9C at `at` is ST: either the second byte of its UTF-8 form, or a single byte
   * that ends strings and is not part of a character.
   */
  #isSt(bytes: Uint8Array, start: number, at: number): boolean {
    if (this.#lastByte(bytes, start, at) === c1Lead) return true;
    if (!this.#stringEndsByByte) return false;
    const last = this.#lastBytes(bytes, start, at);
    const from = characterStart(last);
    if (from === last.length) return true;
    const withSt = Uint8Array.of(...last.subarray(from), st);
    const isPart = this.#utf8.decode(withSt, 0, withSt.length) === incomplete;
    return !isPart && this.#utf8.next < withSt.length;
  }

  /** The byte of the payload before `at`; 0 if there is none. */
  #lastByte(bytes: Uint8Array, start: number, at: number): number {
    return at > start ? bytes[at - 1] : (this.#tail.at(-1) ?? 0);
  }

  /**
   * The last bytes of the payload before `at`, as many as a character can have before its last
   * byte.
   */
  #lastBytes(bytes: Uint8Array, start: number, at: number): Uint8Array {
    const recent = bytes.subarray(Math.max(start, at - maxTail), at);
    return Uint8Array.of(...this.#tail, ...recent).slice(-maxTail);
  }

  #stringControl(byte: number): void {
    if (byte === esc || byte === st || (byte === bel && this.#stringKind === 'osc')) {
      this.#state = 'ground';
      this.#finishString(byte === bel);
      if (byte === esc) this.#enterEscape();
    } else if (byte === can || byte === sub) this.#state = 'ground';
    // Other controls have no meaning inside a string (ECMA-48 5.6) and are ignored.
  }

  #finishString(endedByBel: boolean): void {
    if (this.#string.overflown) return;
    const payload = this.#string.view();
    if (this.#stringKind === 'osc') this.#sink.osc(payload, endedByBel, this.#stringOffset);
    if (this.#stringKind === 'dcs') this.#sink.dcs(this.#dcsKey, this.#params, payload);
  }
}
