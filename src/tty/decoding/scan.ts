import { decodeUtf8 } from '#base';
import { parseControlSequence, type Token } from './token.ts';

/** No key and no short reply is longer; longer sequences are `unknown`. */
const maxSequenceBytes = 256;
/** Longer strings come in parts. */
const maxStringBytes = 4096;

const bel = 0x07;
const esc = 0x1b;
const leftBracket = 0x5b;
const backslash = 0x5c;
const letterO = 0x4f;
const dollar = 0x24;

/** Returns the token at an offset; null if it needs more bytes. */
export function scanToken(input: Input, from: number): Scanned | null {
  const byte = input.bytes[from] ?? 0;
  if (byte === esc) return scanEscape(input, from);
  return scanCharacter(input, from, from);
}

function scanEscape(input: Input, from: number): Scanned | null {
  const next = input.bytes[from + 1];
  if (next === undefined) return input.ends ? escapeKey : null;
  if (next === esc) return scanAfterTwoEscapes(input, from);
  switch (next) {
    case leftBracket:
      return scanCsi(input, from, false);
    case letterO:
      return scanSs3(input, from, false);
    case 0x50:
    case 0x5d:
    case 0x5f:
      return scanReplyString(input, from);
    default:
      return scanCharacter(input, from, from + 1);
  }
}

/** rxvt and the Linux console send ESC before the sequence of a key with alt; else it is a key. */
function scanAfterTwoEscapes(input: Input, from: number): Scanned | null {
  const next = input.bytes[from + 2];
  if (next === undefined && !input.ends) return null;
  if (next === leftBracket) return scanCsi(input, from, true);
  return next === letterO ? scanSs3(input, from, true) : escapeKey;
}

const escapeKey: Scanned = { token: { kind: 'control', code: esc, alt: false }, length: 1 };

/** What begins like a sequence and has no more: the key with alt that has the same bytes. */
const introducerKey = (input: Input, from: number, alt: boolean): Scanned | null =>
  alt ? escapeKey : scanCharacter(input, from, from + 1);

function scanCsi(input: Input, from: number, alt: boolean): Scanned | null {
  const start = from + (alt ? 3 : 2);
  for (let at = start; ; at++) {
    const byte = input.bytes[at];
    if (byte === undefined && !input.ends) return null;
    const isPart =
      byte !== undefined && byte >= 0x20 && byte < 0x7f && at - from < maxSequenceBytes;
    if (!isPart) return at === start ? introducerKey(input, from, alt) : unknown(at - from);
    if (endsCsi(input.bytes, start, at)) return endCsi(input, { from, start, end: at + 1, alt });
  }
}

function endsCsi(bytes: Uint8Array, start: number, at: number): boolean {
  const byte = bytes[at] ?? 0;
  // With shift, rxvt sends `CSI 3 $`. In a report of a mode, `$` follows two parameters.
  if (byte === dollar) return /^\d{1,2}$/.test(latin1(bytes, start, at));
  // `CSI [ A` is F1 of the Linux console.
  return byte >= 0x40 && !(byte === leftBracket && at === start);
}

interface CsiRange {
  readonly from: number;
  readonly start: number;
  readonly end: number;
  readonly alt: boolean;
}

function endCsi(input: Input, { from, start, end, alt }: CsiRange): Scanned | null {
  const body = latin1(input.bytes, start, end);
  if (body === 'M' && !alt) return scanMouse(input, from, end);
  const length = end - from;
  if (body === '200~' && !alt) return { token: { kind: 'pasteBegin' }, length };
  const sequence = parseControlSequence(body);
  return sequence ? { token: { kind: 'csi', sequence, alt }, length } : unknown(length);
}

const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, end));

/** Keys of the keypad with modifiers have a parameter (ctlseqs), and F1 to F4 of some terminals. */
function scanSs3(input: Input, from: number, alt: boolean): Scanned | null {
  const start = from + (alt ? 3 : 2);
  let at = start;
  while (isParameter(input.bytes[at]) && at - start < 4) at++;
  const byte = input.bytes[at];
  if (byte === undefined && !input.ends) return null;
  if (byte === undefined || byte >= 0x7f || (byte < 0x40 && byte !== 0x20)) {
    return introducerKey(input, from, alt);
  }
  const parameter = latin1(input.bytes, start, at);
  const final = String.fromCharCode(byte);
  return { token: { kind: 'ss3', parameter, final, alt }, length: at + 1 - from };
}

const isParameter = (byte: number | undefined): boolean =>
  byte !== undefined && ((byte >= 0x30 && byte <= 0x39) || byte === 0x3b);

/**
 * How the strings begin that terminals send: OSC with its number, or `l` and `L` of a title; DCS
 * with the parameters or the final of a report; APC with `G` of kitty's graphics.
 */
const replyStarts: Readonly<Record<string, RegExp>> = {
  ']': /[\dlL]/,
  P: /[\d!$+>]/,
  _: /G/,
};

function scanReplyString(input: Input, from: number): Scanned | null {
  const introducer = latin1(input.bytes, from + 1, from + 2);
  const first = input.bytes[from + 2];
  if (first === undefined && !input.ends) return null;
  const isReply = first !== undefined && replyStarts[introducer]?.test(String.fromCharCode(first));
  if (!isReply) return introducerKey(input, from, false);
  return scanString(input, { from, start: from + 2, introducer, isPart: false });
}

export interface StringStart {
  /** Where the token begins. */
  readonly from: number;
  /** Where its content begins. */
  readonly start: number;
  readonly introducer: string;
  /** Parts of the string were split off. */
  readonly isPart: boolean;
}

/** The rest of a string: up to ST or BEL, or a part of it. */
export function scanString(input: Input, string: StringStart): Scanned | null {
  const { from, start } = string;
  for (let at = start; ; at++) {
    const byte = input.bytes[at];
    if (at - from >= maxStringBytes) return stringToken(input, string, at, 'more');
    if (byte === undefined && !input.ends) return null;
    if (byte === bel) return stringToken(input, string, at, 'bel');
    if (byte === esc) {
      const next = input.bytes[at + 1];
      if (next === undefined && !input.ends) return null;
      if (next === backslash) return stringToken(input, string, at, 'st');
    }
    if (byte === undefined || byte < 0x20) return abandonString(input, string, at);
  }
}

/** What follows the content of a string token, with its length in bytes. */
const terminators = { st: 2, bel: 1, nothing: 0, more: 0 };

function stringToken(
  input: Input,
  { from, start, introducer, isPart }: StringStart,
  end: number,
  terminator: keyof typeof terminators,
): Scanned {
  const length = terminators[terminator];
  const content = decodeUtf8(input.bytes.subarray(start, end));
  const isWhole = length > 0 && !isPart;
  const continues = terminator === 'more';
  return {
    token: { kind: 'string', introducer, content, isWhole, continues },
    length: end + length - from,
  };
}

/** A string without its end: an answer, if it has begun like one; else keys. */
function abandonString(input: Input, string: StringStart, end: number): Scanned | null {
  const content = latin1(input.bytes, string.start, end);
  const isReply = string.isPart || string.introducer !== ']' || content.includes(';');
  return isReply
    ? stringToken(input, string, end, 'nothing')
    : introducerKey(input, string.from, false);
}

/** The character or control at `at`, with the ESC at `from` if that is before it. */
function scanCharacter(input: Input, from: number, at: number): Scanned | null {
  const alt = at > from;
  const code = input.bytes[at] ?? 0;
  if (code < 0x20 || code === 0x7f) {
    return { token: { kind: 'control', code, alt }, length: at + 1 - from };
  }
  const length = utf8Length(input.bytes, at);
  if (length === 'more') return input.ends ? unknown(input.bytes.length - from) : null;
  if (length < 0) return unknown(at - length - from);
  const char = input.bytes.subarray(at, at + length);
  const text = length === 1 ? String.fromCharCode(code) : decodeUtf8(char);
  return { token: { kind: 'character', text, alt }, length: at + length - from };
}

/** The three values of a report in the encodings without parameters. */
function scanMouse(input: Input, from: number, start: number): Scanned | null {
  const values: number[] = [];
  let at = start;
  while (values.length < 3) {
    if (at >= input.bytes.length) return input.ends ? unknown(at - from) : null;
    const length = input.utf8Mouse ? utf8Length(input.bytes, at) : 1;
    if (length === 'more' && !input.ends) return null;
    if (length === 'more' || length < 0) return unknown(at - from);
    const char = input.bytes.subarray(at, at + length);
    values.push((length === 1 ? (char[0] ?? 0) : (decodeUtf8(char).codePointAt(0) ?? 0)) - 32);
    at += length;
  }
  return { token: { kind: 'mouse', values }, length: at - from };
}

const isContinuation = (byte: number, low = 0x80, high = 0xbf): boolean =>
  byte >= low && byte <= high;

/** The bounds of the second byte that differ from those of the others (RFC 3629, section 4). */
const secondBytes: ReadonlyMap<number, readonly [number, number]> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);

function lengthOf(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/**
 * Returns the number of bytes of the character at `from`: `more` if the bytes end inside of it. For
 * ill-formed UTF-8, returns the number of bytes that are not the beginning of another character,
 * as a negative number.
 */
function utf8Length(bytes: Uint8Array, from: number): number | 'more' {
  const lead = bytes[from] ?? 0;
  const length = lengthOf(lead);
  if (length === 0) return -1;
  for (let at = 1; at < length; at++) {
    const byte = bytes[from + at];
    if (byte === undefined) return 'more';
    const [low, high] = (at === 1 ? secondBytes.get(lead) : undefined) ?? [0x80, 0xbf];
    if (!isContinuation(byte, low, high)) return -at;
  }
  return length;
}

/** Bytes to split into tokens. */
export interface Input {
  readonly bytes: Uint8Array;
  /** No bytes follow. If more may follow, a token that they could continue is not split off. */
  readonly ends: boolean;
  /** In mode 1005, three characters follow `CSI M`; in other modes, three bytes. */
  readonly utf8Mouse: boolean;
}

export interface Scanned {
  readonly token: Token;
  /** In bytes. At least 1, but for the end of a string whose parts were split off. */
  readonly length: number;
}

const unknown = (length: number): Scanned => ({ token: { kind: 'unknown' }, length });
