import type { UnderlineStyle } from '#model';

/** SGR attributes that are on or off, one bit each. The underline style takes three bits. */
export const bold = 1 << 0;
export const dim = 1 << 1;
export const italic = 1 << 2;
export const blink = 1 << 3;
export const inverse = 1 << 4;
export const hidden = 1 << 5;
export const strikethrough = 1 << 6;
export const overline = 1 << 7;

/** This is not an SGR attribute: DECSCA and SPA set it, and erasing may skip the cell. */
export const protectedCell = 1 << 11;

/** All attributes, the underline style and protection. */
export const attributesMask = 0xfff;

/** The bits above the attributes contain the number of the cell's link, see `link-table.ts`. */
const linkShift = 12;
export const linkMask = 0x7_ffff << linkShift;

const underlineShift = 8;
/** The bits of the underline style. */
export const underlineMask = 7 << underlineShift;

/** By number in SGR 4:n. */
const underlineStyles: readonly UnderlineStyle[] = [
  'none',
  'single',
  'double',
  'curly',
  'dotted',
  'dashed',
];

export function underlineStyle(attributes: number): UnderlineStyle {
  return underlineStyles[underlineNumber(attributes)];
}

/** The number of the link; 0 if there is none. */
export function linkNumber(attributes: number): number {
  return (attributes & linkMask) >> linkShift;
}

export function withLink(attributes: number, link: number): number {
  return (attributes & ~linkMask) | (link << linkShift);
}

/** 0..5, as in SGR 4:n. */
export function underlineNumber(attributes: number): number {
  return (attributes & underlineMask) >> underlineShift;
}

/** @param style as in SGR 4:n; values above 5 mean a single line */
export function withUnderline(attributes: number, style: number): number {
  const number = style < underlineStyles.length ? style : 1;
  return (attributes & ~underlineMask) | (number << underlineShift);
}
