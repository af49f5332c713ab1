import { attributesMask } from './attributes.ts';
import { colorKind, defaultColor, paletteColor } from './color.ts';

// The style of a cell is one word. If the style has only attributes and palette colours, which is
// by far the most frequent case, the word contains them: 9 bits of foreground, 9 bits of background
// and 12 bits of attributes, as in `attributes.ts`. A style with RGB colours, a link or an
// underline colour has a negative word: the bitwise complement of an index into the style table
// (`style-table.ts`).

/** The style of a new terminal. */
export const defaultStyle = 0;

export const foregroundMask = 0x1ff;
export const backgroundShift = 9;
export const backgroundMask = foregroundMask << backgroundShift;
export const attributesShift = 18;
export const colorsMask = foregroundMask | backgroundMask;
/** In a colour's bits: the colour is set, and the lower bits contain its index. */
const isPalette = 0x100;

/** The bits of a foreground in the palette, and those of a background without their shift. */
export function paletteBits(index: number): number {
  return isPalette | index;
}

/** The bits of a foreground or background; 0 for RGB colours. */
function colorBits(color: number): number {
  return colorKind(color) === 1 ? paletteBits(color & 0xff) : 0;
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

/** Returns the word of a style, or -1 if the style needs an entry in the style table. */
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
