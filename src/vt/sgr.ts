import * as attribute from './attributes.ts';
import { defaultColor, paletteColor, rgbColor } from './color.ts';
import type { Params } from './params.ts';
import type { Pen } from './pen.ts';

/** SGR: applies the renditions to the pen, one after the other (ECMA-48 8.3.117, ctlseqs). */
export function applySgr(pen: Pen, params: Params): void {
  const { length, hasSubs } = params;
  for (let at = 0; at < length; ) {
    const value = params.get(at);
    const effect = value < values ? effects[value] : nothing;
    if (effect === extendedColor) {
      const next = afterExtendedColor(params, at);
      setExtendedColor(pen, value, readExtendedColor(params, at, next));
      at = next;
    } else if (hasSubs) {
      if (value === 4 && params.isSub(at + 1)) setUnderlineStyle(pen, params.get(at + 1));
      else setRendition(pen, effect, value);
      at = afterSubparameters(params, at);
    } else {
      setRendition(pen, effect, value);
      at++;
    }
  }
}

function setRendition(pen: Pen, effect: number, value: number): void {
  switch (effect) {
    case bits:
      pen.attributes = (pen.attributes & ~offBits[value]) | onBits[value];
      break;
    case foreground:
      pen.fg = colors[value];
      break;
    case background:
      pen.bg = colors[value];
      break;
    case reset:
      pen.resetRendition();
      break;
    case defaultUnderlineColor:
      pen.underlineColor = defaultColor;
      break;
  }
}

function setUnderlineStyle(pen: Pen, style: number): void {
  pen.attributes = attribute.withUnderline(pen.attributes, style);
}

/** What a value has an effect on. */
const nothing = 0;
const reset = 1;
/** Takes away `offBits`, then sets `onBits`. */
const bits = 2;
const foreground = 3;
const background = 4;
const defaultUnderlineColor = 5;
/** The values that follow say which colour. */
const extendedColor = 6;

/** From here on values are unknown. */
const values = 108;
const effects = new Uint8Array(values);
const onBits = new Uint16Array(values);
const offBits = new Uint16Array(values);
const colors = new Int32Array(values);

function switches(value: number, on: number, off: number): void {
  effects[value] = bits;
  onBits[value] = on;
  offBits[value] = off;
}

function paints(effect: number, value: number, color: number): void {
  effects[value] = effect;
  colors[value] = color;
}

effects[0] = reset;
switches(1, attribute.bold, 0);
switches(2, attribute.dim, 0);
switches(3, attribute.italic, 0);
switches(4, attribute.withUnderline(0, 1), attribute.underlineMask);
switches(5, attribute.blink, 0);
switches(6, attribute.blink, 0);
switches(7, attribute.inverse, 0);
switches(8, attribute.hidden, 0);
switches(9, attribute.strikethrough, 0);
switches(21, attribute.withUnderline(0, 2), attribute.underlineMask);
switches(22, 0, attribute.bold | attribute.dim);
switches(23, 0, attribute.italic);
switches(24, 0, attribute.underlineMask);
switches(25, 0, attribute.blink);
switches(27, 0, attribute.inverse);
switches(28, 0, attribute.hidden);
switches(29, 0, attribute.strikethrough);
switches(53, attribute.overline, 0);
switches(55, 0, attribute.overline);
for (let index = 0; index < 8; index++) {
  paints(foreground, 30 + index, paletteColor(index));
  paints(foreground, 90 + index, paletteColor(8 + index));
  paints(background, 40 + index, paletteColor(index));
  paints(background, 100 + index, paletteColor(8 + index));
}
paints(foreground, 39, defaultColor);
paints(background, 49, defaultColor);
for (const value of [38, 48, 58]) effects[value] = extendedColor;
effects[59] = defaultUnderlineColor;

function afterSubparameters(params: Params, at: number): number {
  let next = at + 1;
  while (params.isSub(next)) next++;
  return next;
}

/** A colour that is out of range or cut short: it changes nothing. */
const noColor = -1;

function setExtendedColor(pen: Pen, value: number, color: number): void {
  if (color === noColor) return;
  if (value === 38) pen.fg = color;
  else if (value === 48) pen.bg = color;
  else pen.underlineColor = color;
}

/**
 * The colour after 38, 48 or 58 at `at`, up to and without `next`: `5;n` and `2;r;g;b` as programs write it, `5:n`, `2:r:g:b`
 * and `2:space:r:g:b` as the standard has it (ISO 8613-6).
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

/** Where the list goes on behind that colour. */
function afterExtendedColor(params: Params, at: number): number {
  if (params.isSub(at + 1)) return afterSubparameters(params, at);
  const kind = params.get(at + 1);
  const values = kind === 5 ? 2 : kind === 2 ? 4 : 1;
  return Math.min(at + 1 + values, params.length);
}
