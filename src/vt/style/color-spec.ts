import { namedColor } from './color-names.ts';

/**
 * Reads a colour as programs write it (Xlib, "Color Strings"): `#` and 1 to 4 hexadecimal digits for
 * each of red, green and blue, or `rgb:r/g/b`, where the digits are a fraction of the largest number
 * that can be written with as many, or `rgbi:r/g/b`, where each is an intensity of 0 to 1, or a
 * name of X11. Returns 0xRRGGBB, or null for what is no colour. Xlib's spaces of the CIE depend on
 * whose screen it is, and are none here.
 */
export function parseColorSpec(spec: string): number | null {
  const short = /^#((?:[0-9a-f]{3}){1,4})$/i.exec(spec);
  if (short !== null) return fromDigits(short[1]);
  const scaled = /^rgb:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})$/i.exec(spec);
  if (scaled !== null) return joined(scaled.slice(1).map(fromFraction));
  const intensities = /^rgbi:([\d.]{1,20})\/([\d.]{1,20})\/([\d.]{1,20})$/i.exec(spec);
  const values = intensities?.slice(1).map(Number) ?? [];
  const isColor = values.length > 0 && values.every((value) => value >= 0 && value <= 1);
  return isColor ? joined(values.map(fromIntensity)) : (namedColor(spec) ?? null);
}

function joined([red, green, blue]: number[]): number {
  return (red << 16) | (green << 8) | blue;
}

/** Light is not in proportion to the numbers of a screen (sRGB, IEC 61966-2-1). */
function fromIntensity(value: number): number {
  return Math.round(
    255 * (value <= 0.003_130_8 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055),
  );
}

/** Digits that are too few or too many for 8 bits are cut on the right, or filled with zeros. */
function fromDigits(digits: string): number {
  const width = digits.length / 3;
  const parts = [0, 1, 2].map((part) => digits.slice(part * width, (part + 1) * width));
  return Number.parseInt(parts.map((part) => part.padEnd(2, '0').slice(0, 2)).join(''), 16);
}

function fromFraction(digits: string): number {
  return Math.round((Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255);
}

/** A colour 0xRRGGBB as reports write it, 16 bits a part. */
export function colorReport(color: number): string {
  const digits = color.toString(16).padStart(6, '0');
  const parts = [0, 2, 4].map((at) => digits.slice(at, at + 2));
  return `rgb:${parts.map((part) => part + part).join('/')}`;
}
