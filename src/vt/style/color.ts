import type { Color } from '#model';

/**
 * Colours are stored as numbers: 0 is the default. Otherwise bits 24 and 25 contain the kind, and
 * the bits below contain the palette index or the RGB value.
 */
export const defaultColor = 0;
const paletteKind = 1;
const rgbKind = 2;

export function paletteColor(index: number): number {
  return (paletteKind << 24) | (index & 0xff);
}

export function rgbColor(red: number, green: number, blue: number): number {
  return rgbOf(((red & 0xff) << 16) | ((green & 0xff) << 8) | (blue & 0xff));
}

/** @param value 0xRRGGBB */
export function rgbOf(value: number): number {
  return (rgbKind << 24) | value;
}

/** 0 default, 1 palette, 2 RGB. */
export function colorKind(color: number): number {
  return color >> 24;
}

export function toColor(color: number): Color {
  if (colorKind(color) === paletteKind) return color & 0xff;
  if (colorKind(color) === rgbKind) return `#${(color & 0xff_ffff).toString(16).padStart(6, '0')}`;
  return null;
}
