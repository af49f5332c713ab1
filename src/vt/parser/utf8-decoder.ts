/** Replaces ill-formed bytes. */
export const replacementCharacter = 0xfffd;

/** Returned by {@link Utf8Decoder.decode} instead of a code point. */
export const incomplete = -1;

/** Number of continuation bytes after a lead byte; 0 for a byte that cannot be a lead. */
function continuationBytes(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead < 0xe0) return 1;
  return lead < 0xf0 ? 2 : 3;
}

/** Excludes overlong forms, surrogates and code points above U+10FFFF (Unicode table 3-7). */
function isSecondByte(lead: number, byte: number): boolean {
  if (lead === 0xe0) return byte >= 0xa0 && byte <= 0xbf;
  if (lead === 0xed) return byte >= 0x80 && byte <= 0x9f;
  if (lead === 0xf0) return byte >= 0x90 && byte <= 0xbf;
  if (lead === 0xf4) return byte >= 0x80 && byte <= 0x8f;
  return (byte & 0xc0) === 0x80;
}

/** Less than every code point. */
const notWhole = -1;

/**
 * Decodes the code point at `start`, whose byte is 0x80 or above. Returns -1 if the bytes are
 * incomplete or may be ill-formed; {@link Utf8Decoder} then decides.
 */
export function decodeWhole(bytes: Uint8Array, start: number, end: number): number {
  const lead = bytes[start];
  // Other leads are rare or restrict the second byte. They are left to Utf8Decoder.
  if ((lead & 0xf0) === 0xe0) return decodeThree(bytes, start, end);
  if (lead >= 0xc2 && lead < 0xe0) return decodeTwo(bytes, start, end);
  return lead === 0xf0 ? decodeFour(bytes, start, end) : notWhole;
}

/**
 * Whether the byte leads a character of three bytes and allows any continuation bytes. 0xE0 and
 * 0xED do not.
 */
export function leadsThree(lead: number): boolean {
  return lead > 0xe0 && lead < 0xf0 && lead !== 0xed;
}

// Characters from four bytes in a word, the first in the lowest bits. The bytes after a character may be any.

const marksOfTwo = 0xc0e0;
const valuesOfTwo = 0x80c0;
const marksOfThree = 0xc0c0f0;
const valuesOfThree = 0x8080e0;
/** With the first two bytes of U+1F000..U+1FFFF. */
const marksOfEmoji = 0xc0c0ffff | 0;
const valuesOfEmoji = 0x80809ff0 | 0;
/** The least code point that takes three bytes. */
export const leastOfThree = 0x800;

/** Whether a word begins with the form of a character of two bytes. It may be overlong. */
export function isTwo(word: number): boolean {
  return (word & marksOfTwo) === valuesOfTwo;
}

export function twoOf(word: number): number {
  return ((word & 0x1f) << 6) | ((word >> 8) & 0x3f);
}

/** Whether a word begins with the form of a character of three bytes. It may be overlong, or a surrogate. */
export function isThree(word: number): boolean {
  return (word & marksOfThree) === valuesOfThree;
}

export function threeOf(word: number): number {
  return ((word & 0xf) << 12) | ((word >> 2) & 0xfc0) | ((word >> 16) & 0x3f);
}

/** Whether a word is a character U+1F000..U+1FFFF: nearly all emoji. */
export function isEmoji(word: number): boolean {
  return (word & marksOfEmoji) === valuesOfEmoji;
}

export function emojiOf(word: number): number {
  return 0x1f000 | ((word >> 10) & 0xfc0) | ((word >>> 24) & 0x3f);
}

/** {@link threeOf} if it is {@link isThree}, otherwise -1. */
export function decodeThreeOf(word: number): number {
  return isThree(word) ? threeOf(word) : notWhole;
}

/** Number of bytes of a code point of U+0080 or above. */
export function encodedLength(codePoint: number): number {
  if (codePoint < 0x800) return 2;
  return codePoint < 0x1_0000 ? 3 : 4;
}

function decodeTwo(bytes: Uint8Array, start: number, end: number): number {
  if (start + 1 >= end) return notWhole;
  const second = bytes[start + 1];
  return (second & 0xc0) === 0x80 ? ((bytes[start] & 0x1f) << 6) | (second & 0x3f) : notWhole;
}

function decodeThree(bytes: Uint8Array, start: number, end: number): number {
  if (start + 2 >= end) return notWhole;
  const second = bytes[start + 1];
  const third = bytes[start + 2];
  if ((second & 0xc0) !== 0x80 || (third & 0xc0) !== 0x80) return notWhole;
  const codePoint = ((bytes[start] & 0xf) << 12) | ((second & 0x3f) << 6) | (third & 0x3f);
  // Overlong forms and surrogates (Unicode table 3-7).
  return codePoint < 0x800 || (codePoint & 0xf800) === 0xd800 ? notWhole : codePoint;
}

/** Decodes after the lead 0xF0: emoji and rare ideographs. */
function decodeFour(bytes: Uint8Array, start: number, end: number): number {
  if (start + 3 >= end) return notWhole;
  const second = bytes[start + 1];
  const third = bytes[start + 2];
  const fourth = bytes[start + 3];
  // A second byte below 0x90 would make the form overlong.
  if (second < 0x90 || second > 0xbf) return notWhole;
  if ((third & 0xc0) !== 0x80 || (fourth & 0xc0) !== 0x80) return notWhole;
  return ((second & 0x3f) << 12) | ((third & 0x3f) << 6) | (fourth & 0x3f);
}

/**
 * Decodes one character at a time. Each maximal part of an ill-formed sequence becomes one U+FFFD,
 * as Unicode (3.9) and the WHATWG encoding standard recommend.
 */
export class Utf8Decoder {
  /** After {@link decode}: where the next character begins. */
  next = 0;

  /**
   * Decodes the code point at `start`, whose byte is 0x80 or above. Returns {@link incomplete} if
   * the bytes end inside it.
   */
  decode(bytes: Uint8Array, start: number, end: number): number {
    const lead = bytes[start];
    const count = continuationBytes(lead);
    let codePoint = lead & (0x3f >> count);
    for (let index = 1; index <= count; index++) {
      this.next = start + index;
      if (this.next >= end) return incomplete;
      const byte = bytes[this.next];
      const fits = index === 1 ? isSecondByte(lead, byte) : (byte & 0xc0) === 0x80;
      if (!fits) return replacementCharacter;
      codePoint = (codePoint << 6) | (byte & 0x3f);
    }
    this.next = start + count + 1;
    return count === 0 ? replacementCharacter : codePoint;
  }
}
