import * as attribute from './attributes.ts';
import { defaultColor, paletteColor, rgbColor } from './color.ts';
import type { Params } from './params.ts';
import type { Pen } from './pen.ts';

/** SGR: applies the renditions to the pen, one after the other (ECMA-48 8.3.117, ctlseqs). */
export function applySgr(pen: Pen, params: Params): void {
  for (let at = 0; at < params.length; ) {
    const value = params.get(at);
    if (value === 38 || value === 48 || value === 58) {
      const color = extendedColor(params, at);
      if (color !== noColor) setExtended(pen, value, color);
      at = afterExtendedColor(params, at);
    } else {
      if (value === 4 && params.isSub(at + 1)) setUnderlineStyle(pen, params.get(at + 1));
      else if (!setColor(pen, value)) setAttribute(pen, value);
      at = afterSubparameters(params, at);
    }
  }
}

function setExtended(pen: Pen, value: number, color: number): void {
  if (value === 38) pen.fg = color;
  else if (value === 48) pen.bg = color;
  else pen.underlineColor = color;
}

function setUnderlineStyle(pen: Pen, style: number): void {
  pen.attributes = attribute.withUnderline(pen.attributes, style);
}

function setColor(pen: Pen, value: number): boolean {
  if (value < 30 || value > 107) return false;
  if (value <= 37) pen.fg = paletteColor(value - 30);
  else if (value === 39) pen.fg = defaultColor;
  else if (value >= 40 && value <= 47) pen.bg = paletteColor(value - 40);
  else if (value === 49) pen.bg = defaultColor;
  else if (value >= 90 && value <= 97) pen.fg = paletteColor(value - 90 + 8);
  else if (value >= 100) pen.bg = paletteColor(value - 100 + 8);
  else return false;
  return true;
}

function setAttribute(pen: Pen, value: number): void {
  switch (value) {
    case 0:
      pen.reset();
      break;
    case 4:
      setUnderlineStyle(pen, 1);
      break;
    case 21:
      setUnderlineStyle(pen, 2);
      break;
    case 24:
      setUnderlineStyle(pen, 0);
      break;
    case 59:
      pen.underlineColor = defaultColor;
      break;
    default:
      if (value < bitValues) pen.attributes = (pen.attributes & ~offBits[value]) | onBits[value];
  }
}

/** Values below this may switch a bit. */
const bitValues = 56;
/** By value: the bits that it sets. */
const onBits = new Uint8Array(bitValues);
onBits[1] = attribute.bold;
onBits[2] = attribute.dim;
onBits[3] = attribute.italic;
onBits[5] = attribute.blink;
onBits[6] = attribute.blink;
onBits[7] = attribute.inverse;
onBits[8] = attribute.hidden;
onBits[9] = attribute.strikethrough;
onBits[53] = attribute.overline;
/** By value: the bits that it takes away. */
const offBits = new Uint8Array(bitValues);
offBits[22] = attribute.bold | attribute.dim;
offBits[23] = attribute.italic;
offBits[25] = attribute.blink;
offBits[27] = attribute.inverse;
offBits[28] = attribute.hidden;
offBits[29] = attribute.strikethrough;
offBits[55] = attribute.overline;

function afterSubparameters(params: Params, at: number): number {
  let next = at + 1;
  while (params.isSub(next)) next++;
  return next;
}

/** A colour that is out of range or cut short: it changes nothing. */
const noColor = -1;

/**
 * The colour after 38, 48 or 58 at `at`: `5;n` and `2;r;g;b` as programs write it, `5:n`, `2:r:g:b`
 * and `2:space:r:g:b` as the standard has it (ISO 8613-6).
 */
function extendedColor(params: Params, at: number): number {
  const kind = params.get(at + 1);
  const last = afterExtendedColor(params, at) - 1;
  const withSpace = params.isSub(at + 1) && last - at >= 5;
  if (kind === 5 && last >= at + 2) {
    const index = params.get(at + 2);
    return index <= 255 ? paletteColor(index) : noColor;
  }
  const first = withSpace ? at + 3 : at + 2;
  if (kind !== 2 || last < first + 2) return noColor;
  const red = params.get(first);
  const green = params.get(first + 1);
  const blue = params.get(first + 2);
  if (red > 255 || green > 255 || blue > 255) return noColor;
  return rgbColor(red, green, blue);
}

/** Where the list goes on behind that colour. */
function afterExtendedColor(params: Params, at: number): number {
  if (params.isSub(at + 1)) return afterSubparameters(params, at);
  const kind = params.get(at + 1);
  const values = kind === 5 ? 2 : kind === 2 ? 4 : 1;
  return Math.min(at + 1 + values, params.length);
}
