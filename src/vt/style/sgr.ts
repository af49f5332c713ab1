import type { Params } from '../parser/params.ts';
import * as attribute from './attributes.ts';
import { colorKind, defaultColor, paletteColor, rgbColor } from './color.ts';
import type { Pen } from './pen.ts';
import {
  attributesBits,
  backgroundBits,
  backgroundMask,
  foregroundBits,
  foregroundMask,
} from './style-word.ts';

/** SGR: applies the attributes and colours to the pen in order (ECMA-48 8.3.117, ctlseqs). */
export function applySgr(pen: Pen, params: Params): void {
  const { length, hasSubs } = params;
  let at = hasSubs ? 0 : applyPlain(pen, params, 0, length);
  while (at < length) {
    at = applyAny(pen, params, at);
    if (!hasSubs) at = applyPlain(pen, params, at, length);
  }
}

/**
 * Applies values from `from` up to `to`, or up to the first one that is not in the common form.
 * Returns where it stopped. Except for extended colours, every value clears bits of the pen's word
 * and sets others, so that one table lookup handles all of them.
 */
function applyPlain(pen: Pen, params: Params, from: number, to: number): number {
  let { word, rgbForeground, rgbBackground, underlineColor } = pen;
  let at = from;
  for (; at < to; at++) {
    const value = params.get(at);
    if (value >= valueCount) continue;
    const keep = keepMasks[value];
    if (keep !== readsColor) {
      word = (word & keep) | addedBits[value];
      // A value that clears a colour's bits in the word also clears its RGB colour.
      rgbForeground &= (keep << beforeForeground) >> 31;
      rgbBackground &= (keep << beforeBackground) >> 31;
      underlineColor &= (keep << beforeUnderlineColor) >> 31;
      continue;
    }
    const color = value === 58 ? noColor : plainColor(params, at, to);
    if (color === noColor) break;
    const rgb = colorKind(color) > 1 ? color : defaultColor;
    if (value === 38) {
      word = (word & ~foregroundMask) | foregroundBits(color);
      rgbForeground = rgb;
    } else {
      word = (word & ~backgroundMask) | backgroundBits(color);
      rgbBackground = rgb;
    }
    at += rgb === defaultColor ? 2 : 4;
  }
  pen.set(word, rgbForeground, rgbBackground, underlineColor);
  return at;
}

/** Returns the colour after 38 or 48 at `at`, in the common form: `5;n` or `2;r;g;b`. */
function plainColor(params: Params, at: number, to: number): number {
  const kind = params.get(at + 1);
  if (kind === 5 && at + 2 < to) {
    const index = params.get(at + 2);
    return index > 255 ? noColor : paletteColor(index);
  }
  if (kind !== 2 || at + 4 >= to) return noColor;
  const red = params.get(at + 2);
  const green = params.get(at + 3);
  const blue = params.get(at + 4);
  return (red | green | blue) > 255 ? noColor : rgbColor(red, green, blue);
}

/** Applies one value in any form. Returns the index of the next value. */
function applyAny(pen: Pen, params: Params, at: number): number {
  const value = params.get(at);
  if (value < valueCount && keepMasks[value] === readsColor) {
    const next = afterExtendedColor(params, at);
    setExtendedColor(pen, value, readExtendedColor(params, at, next));
    return next;
  }
  if (value === 4 && params.isSub(at + 1)) {
    pen.attributes = attribute.withUnderline(pen.attributes, params.get(at + 1));
  } else applyPlain(pen, params, at, at + 1);
  return afterSubparameters(params, at);
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

function defineAttribute(value: number, on: number, off: number): void {
  keepMasks[value] = ~attributesBits(off);
  addedBits[value] = attributesBits(on);
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
defineAttribute(1, attribute.bold, 0);
defineAttribute(2, attribute.dim, 0);
defineAttribute(3, attribute.italic, 0);
defineAttribute(4, attribute.withUnderline(0, 1), attribute.underlineMask);
defineAttribute(5, attribute.blink, 0);
defineAttribute(6, attribute.blink, 0);
defineAttribute(7, attribute.inverse, 0);
defineAttribute(8, attribute.hidden, 0);
defineAttribute(9, attribute.strikethrough, 0);
defineAttribute(21, attribute.withUnderline(0, 2), attribute.underlineMask);
defineAttribute(22, 0, attribute.bold | attribute.dim);
defineAttribute(23, 0, attribute.italic);
defineAttribute(24, 0, attribute.underlineMask);
defineAttribute(25, 0, attribute.blink);
defineAttribute(27, 0, attribute.inverse);
defineAttribute(28, 0, attribute.hidden);
defineAttribute(29, 0, attribute.strikethrough);
defineAttribute(53, attribute.overline, 0);
defineAttribute(55, 0, attribute.overline);
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
