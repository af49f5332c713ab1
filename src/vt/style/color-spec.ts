import { namedColor } from './color-names.ts';

/**
 * Parses a colour (Xlib, "Color Strings"). Returns 0xRRGGBB, or null if it is not a colour. The
 * forms:
 * - `#` and 1 to 4 hexadecimal digits each for red, green and blue;
 * - `rgb:r/g/b`, where the digits are a fraction of the largest number with as many digits;
 * - `rgbi:r/g/b`, where each value is an intensity from 0 to 1;
 * - a name of X11.
 *
 * Xlib's CIE colour spaces depend on the device and are not supported.
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

/** Converts linear light to sRGB (IEC 61966-2-1). */
function fromIntensity(value: number): number {
  return Math.round(
    255 * (value <= 0.003_130_8 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055),
  );
}

/** Each part is truncated or padded with zeros on the right to 8 bits. */
function fromDigits(digits: string): number {
  const width = digits.length / 3;
  const parts = [0, 1, 2].map((part) => digits.slice(part * width, (part + 1) * width));
  return Number.parseInt(parts.map((part) => part.padEnd(2, '0').slice(0, 2)).join(''), 16);
}

function fromFraction(digits: string): number {
  return Math.round((Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255);
}

/** Formats a colour 0xRRGGBB for a report, with 16 bits per part. */
export function colorReport(color: number): string {
  const digits = color.toString(16).padStart(6, '0');
  const parts = [0, 2, 4].map((at) => digits.slice(at, at + 2));
  return `rgb:${parts.map((part) => part + part).join('/')}`;
}
