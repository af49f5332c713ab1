import { attributesMask } from './attributes.ts';
import { colorKind, defaultColor, paletteColor } from './color.ts';

// How a cell looks is one word. Where it has attributes and colours of the palette only, which is
// nearly always, the word says it all: 9 bits of foreground, 9 of background, 12 of attributes as
// `attributes.ts` has them. Where there is more, RGB colours, a link, a colour of the underline, the
// word is negative, and an index into the table of styles (`style-table.ts`) with its bits inverted.

/** The style that a fresh terminal writes in. */
export const defaultStyle = 0;

export const foregroundMask = 0x1ff;
const backgroundShift = 9;
export const backgroundMask = foregroundMask << backgroundShift;
export const attributesShift = 18;
export const colorsMask = foregroundMask | backgroundMask;
/** In a colour's bits: there is one, and its index stands below. */
const isPalette = 0x100;

/** The bits of a foreground or background; of RGB colours none. */
function colorBits(color: number): number {
  return colorKind(color) === 1 ? isPalette | (color & 0xff) : 0;
}

export function foregroundBits(color: number): number {
  return colorBits(color);
}

export function backgroundBits(color: number): number {
  return colorBits(color) << backgroundShift;
}

export function attributesBits(attributes: number): number {
  return (attributes & attributesMask) << attributesShift;
}

/** The word of a style; -1 where it does not say it all. */
export function wordOf(fg: number, bg: number, underlineColor: number, attributes: number): number {
  const needsEntry = colorKind(fg | bg) > 1 || underlineColor !== defaultColor;
  if (needsEntry || (attributes & ~attributesMask) !== 0) return -1;
  return foregroundBits(fg) | backgroundBits(bg) | attributesBits(attributes);
}

export function wordForeground(word: number): number {
  return (word & isPalette) === 0 ? defaultColor : paletteColor(word);
}

export function wordBackground(word: number): number {
  return wordForeground(word >> backgroundShift);
}

export function wordAttributes(word: number): number {
  return word >> attributesShift;
}
