import type { Color } from './screen.ts';

/** The first sixteen entries of xterm's default palette (XTerm-col.ad), as 0xRRGGBB. */
// biome-ignore format: a table
const named = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
  0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
];

/** The default colours: white on black, as entries 7 and 0 of the palette. */
export const defaultForegroundRgb = 0xe5e5e5;
export const defaultBackgroundRgb = 0x000000;

/** 0xRRGGBB of a foreground, for who draws with colours only. */
export const foregroundRgb = (color: Color): number => rgbOf(color) ?? defaultForegroundRgb;

/** 0xRRGGBB of a background. */
export const backgroundRgb = (color: Color): number => rgbOf(color) ?? defaultBackgroundRgb;

function rgbOf(color: Color): number | null {
  if (color === null) return null;
  return typeof color === 'number' ? paletteRgb(color) : Number.parseInt(color.slice(1), 16);
}

/** 0xRRGGBB of an entry, 0..255: sixteen names, a cube of 6 x 6 x 6, 24 greys (256colres.pl). */
export function paletteRgb(index: number): number {
  if (index < 16) return named[index] ?? 0;
  if (index >= 232) return (8 + 10 * (index - 232)) * 0x010101;
  const at = index - 16;
  return (
    level(Math.floor(at / 36)) * 0x10000 + level(Math.floor(at / 6) % 6) * 0x100 + level(at % 6)
  );
}

const level = (step: number): number => (step === 0 ? 0 : 55 + 40 * step);
