import type { Params } from '../parser/params.ts';
import * as attribute from './attributes.ts';
import { defaultColor, paletteColor, rgbColor, rgbOf } from './color.ts';
import type { Pen } from './pen.ts';
import { sgrAttributes } from './sgr-values.ts';
import {
  attributesBits,
  backgroundBits,
  backgroundMask,
  backgroundShift,
  foregroundBits,
  foregroundMask,
  paletteBits,
} from './style-word.ts';

/** SGR: applies the attributes and colours to the pen in order (ECMA-48 8.3.117, ctlseqs). */
export function applySgr(pen: Pen, params: Params): void {
  for (let at = 0; at < params.length; ) at = applyNext(pen, params, at);
}

/** Applies one value. Returns the index of the next one. */
function applyNext(pen: Pen, params: Params, at: number): number {
  const value = params.get(at);
  if (value >= valueCount) return afterSubparameters(params, at);
  const keep = keepMasks[value];
  if (keep === readsColor) {
    const next = afterExtendedColor(params, at);
    setExtendedColor(pen, value, readExtendedColor(params, at, next));
    return next;
  }
  if (value === 4 && params.isSub(at + 1)) {
    pen.attributes = attribute.withUnderline(pen.attributes, params.get(at + 1));
  } else {
    pen.set(
      (pen.word & keep) | addedBits[value],
      pen.rgbForeground & keptForeground(keep),
      pen.rgbBackground & keptBackground(keep),
      pen.underlineColor & keptUnderlineColor(keep),
    );
  }
  return afterSubparameters(params, at);
}

/** For {@link applySgrValues}: a value that changes nothing. */
export const noSgrValue = 99;

/**
 * Applies two values of SGR. Returns false, and changes nothing, if one begins a colour or is not in
 * the tables.
 */
export function applySgrValues(pen: Pen, first: number, second: number): boolean {
  if (first >= valueCount || second >= valueCount) return false;
  const keepFirst = keepMasks[first];
  const keepSecond = keepMasks[second];
  if (keepFirst === readsColor || keepSecond === readsColor) return false;
  const keep = keepFirst & keepSecond;
  pen.set(
    (((pen.word & keepFirst) | addedBits[first]) & keepSecond) | addedBits[second],
    pen.rgbForeground & keptForeground(keep),
    pen.rgbBackground & keptBackground(keep),
    pen.underlineColor & keptUnderlineColor(keep),
  );
  return true;
}

/** With colours, {@link applyPlainSgr} reads fewer values than the parser does. */
const maxPlainValues = 6;
/** The longest value is a colour, `038;2;255;255;255`; a byte follows. */
const maxValueBytes = 18;
const semicolon = 0x3b;
const sgrFinal = 0x6d;
const digitTwo = 0x32;
const digitFive = 0x35;

/**
 * Applies the SGR whose parameters begin at `start`. Returns the index after it; `start` if the
 * sequence is another one, is not in the common form, or ends near `end`, and the pen is unchanged.
 *
 * Nearly all SGR are applied here, in one pass over their bytes. The order of the cases and the
 * arithmetic of 32 bits are chosen for speed; so is that digits are read without a loop.
 */
export function applyPlainSgr(pen: Pen, bytes: Uint8Array, start: number, end: number): number {
  let { word, rgbForeground, rgbBackground, underlineColor } = pen;
  let at = start;
  for (let left = maxPlainValues; left > 0; left--, at++) {
    if (at + maxValueBytes > end) return start;
    let byte = bytes[at];
    let value = byte - zero;
    if (value >>> 0 > 9) value = 0;
    else {
      byte = bytes[++at];
      if (!isNotDigit(byte)) {
        value = (Math.imul(value, 10) + byte - zero) | 0;
        byte = bytes[++at];
        if (!isNotDigit(byte)) {
          value = (Math.imul(value, 10) + byte - zero) | 0;
          byte = bytes[++at];
        }
      }
    }
    if (value < valueCount) {
      const keep = keepMasks[value];
      if (keep !== readsColor) {
        word = (word & keep) | addedBits[value];
        rgbForeground &= keptForeground(keep);
        rgbBackground &= keptBackground(keep);
        underlineColor &= keptUnderlineColor(keep);
      } else {
        if (value === 58 || byte !== semicolon || bytes[at + 2] !== semicolon) return start;
        const kind = bytes[at + 1];
        if (kind !== digitTwo && kind !== digitFive) return start;
        at += 3;
        let color = 0;
        for (let numbers = kind === digitTwo ? 3 : 1; ; at++) {
          byte = bytes[at];
          let number = byte - zero;
          if (number >>> 0 > 9) number = 0;
          else {
            byte = bytes[++at];
            if (!isNotDigit(byte)) {
              number = (Math.imul(number, 10) + byte - zero) | 0;
              byte = bytes[++at];
              if (!isNotDigit(byte)) {
                number = (Math.imul(number, 10) + byte - zero) | 0;
                byte = bytes[++at];
              }
            }
          }
          if (number > 255) return start;
          color = (color << 8) | number;
          if (--numbers === 0) break;
          if (byte !== semicolon) return start;
        }
        const rgb = kind === digitTwo ? rgbOf(color) : defaultColor;
        const bits = kind === digitTwo ? 0 : paletteBits(color);
        if (value === 38) {
          word = (word & ~foregroundMask) | bits;
          rgbForeground = rgb;
        } else {
          word = (word & ~backgroundMask) | (bits << backgroundShift);
          rgbBackground = rgb;
        }
      }
    }
    if (byte === sgrFinal) {
      pen.set(word, rgbForeground, rgbBackground, underlineColor);
      return at + 1;
    }
    if (byte !== semicolon) return start;
  }
  return start;
}

const zero = 0x30;

/** In one comparison. */
function isNotDigit(byte: number): boolean {
  return (byte - zero) >>> 0 > 9;
}

/** Values from here on are unknown. */
const valueCount = 108;
/** The bits of the pen's word that a value keeps, by value. */
const keepMasks = new Int32Array(valueCount).fill(-1);
/** The bits of the pen's word that a value sets, by value. */
const addedBits = new Int32Array(valueCount);
/** In {@link keepMasks}: the following values specify a colour. */
const readsColor = 0;
// The number of bits above the lowest bit of each colour in `keepMasks`. The underline colour is
// not in the word, so a bit above it is used.
const beforeForeground = 31;
const beforeBackground = 22;
const beforeUnderlineColor = 1;

// A value that clears a colour's bits in the word also clears the colour outside of it.

/** All bits if `keep` keeps the foreground, otherwise none. */
function keptForeground(keep: number): number {
  return (keep << beforeForeground) >> 31;
}

function keptBackground(keep: number): number {
  return (keep << beforeBackground) >> 31;
}

function keptUnderlineColor(keep: number): number {
  return (keep << beforeUnderlineColor) >> 31;
}

function defineColors(
  base: number,
  low: number,
  high: number,
  mask: number,
  bits: typeof foregroundBits,
) {
  for (let index = 0; index < 16; index++) {
    const value = index < 8 ? low + index : high + index - 8;
    keepMasks[value] = ~mask;
    addedBits[value] = bits(paletteColor(index));
  }
  keepMasks[base] = ~mask;
}

// Protection is not an SGR attribute and stays.
keepMasks[0] = attributesBits(attribute.protectedCell);
for (const { value, on, off } of sgrAttributes) {
  keepMasks[value] = ~attributesBits(off);
  addedBits[value] = attributesBits(on);
}
defineColors(39, 30, 90, foregroundMask, foregroundBits);
defineColors(49, 40, 100, backgroundMask, backgroundBits);
for (const value of [38, 48, 58]) keepMasks[value] = readsColor;
keepMasks[59] = ~(1 << (31 - beforeUnderlineColor));

function afterSubparameters(params: Params, at: number): number {
  let next = at + 1;
  while (params.isSub(next)) next++;
  return next;
}

/** Out of range or incomplete: the colour does not change. */
const noColor = -1;

function setExtendedColor(pen: Pen, value: number, color: number): void {
  if (color === noColor) return;
  if (value === 38) pen.fg = color;
  else if (value === 48) pen.bg = color;
  else pen.underlineColor = color;
}

/**
 * Returns the colour after 38, 48 or 58 at `at`, up to but excluding `next`: `5;n` and `2;r;g;b` as
 * most programs write it, `5:n`, `2:r:g:b` and `2:space:r:g:b` as in the standard (ISO 8613-6).
 */
function readExtendedColor(params: Params, at: number, next: number): number {
  const kind = params.get(at + 1);
  const last = next - 1;
  if (kind === 5 && last >= at + 2) {
    const index = params.get(at + 2);
    return index <= 255 ? paletteColor(index) : noColor;
  }
  const withSpace = last - at >= 5 && params.isSub(at + 1);
  const first = withSpace ? at + 3 : at + 2;
  if (kind !== 2 || last < first + 2) return noColor;
  const red = params.get(first);
  const green = params.get(first + 1);
  const blue = params.get(first + 2);
  if (red > 255 || green > 255 || blue > 255) return noColor;
  return rgbColor(red, green, blue);
}

/** Returns the index of the value after that colour. */
function afterExtendedColor(params: Params, at: number): number {
  if (params.isSub(at + 1)) return afterSubparameters(params, at);
  const kind = params.get(at + 1);
  const colorValues = kind === 5 ? 2 : kind === 2 ? 4 : 1;
  return Math.min(at + 1 + colorValues, params.length);
}
