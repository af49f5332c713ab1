/**
 * Reads a colour as programs write it (Xlib, "Color Strings"): `#` and 1 to 4 hexadecimal digits for
 * each of red, green and blue, or `rgb:r/g/b`, where the digits are a fraction of the largest number
 * that can be written with as many. Returns 0xRRGGBB, or null for what is no colour.
 */
export function parseColorSpec(spec: string): number | null {
  const short = /^#((?:[0-9a-f]{3}){1,4})$/i.exec(spec);
  if (short !== null) return fromDigits(short[1]);
  const scaled = /^rgb:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})$/i.exec(spec);
  if (scaled === null) return null;
  const [red, green, blue] = scaled.slice(1).map(fromFraction);
  return (red << 16) | (green << 8) | blue;
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
