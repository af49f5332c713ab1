import * as attribute from './attributes.ts';
import { colorKind } from './color.ts';
import { sgrAttributes } from './sgr-values.ts';
import type { StyleTable } from './style-table.ts';
import { defaultStyle } from './style-word.ts';

/** The values that set one attribute, by the place of its bit. The first of several is written. */
const codeOfBit = new Uint8Array(32);
for (const { value, on, off } of [...sgrAttributes].reverse()) {
  if (off === 0) codeOfBit[31 - Math.clz32(on)] = value;
}
const onMask = sgrAttributes.reduce((mask, { on, off }) => (off === 0 ? mask | on : mask), 0);

/** Returns the SGR sequence that sets this style, whatever was set before. */
export function sgrOfStyle(style: number, styles: StyleTable): string {
  if (style === defaultStyle) return '\x1b[m';
  const attributes = styles.attributes(style);
  const { fg, bg, underlineColor } = {
    fg: styles.fg(style),
    bg: styles.bg(style),
    underlineColor: styles.underlineColor(style),
  };
  return sgrOf(fg, bg, underlineColor, attributes);
}

/** In the common form: the numbers of a colour are separate parameters. */
export function sgrOf(fg: number, bg: number, underlineColor: number, attributes: number): string {
  return `\x1b[${sgrCodes(fg, bg, underlineColor, attributes, false)}m`;
}

/** More than {@link writeSgr} writes. */
export const maxSgrBytes = 96;

/**
 * Writes the result of {@link sgrOf} at `start`, within capacity; `ESC [ m` for the default style.
 * Returns where it ends. Dumps of many lines consist mostly of these sequences.
 */
export function writeSgr(
  bytes: Uint8Array,
  start: number,
  fg: number,
  bg: number,
  underlineColor: number,
  attributes: number,
): number {
  let at = start;
  bytes[at++] = 0x1b;
  bytes[at++] = 0x5b;
  if ((fg | bg | underlineColor | attributes) !== 0) {
    bytes[at++] = 0x30;
    const shown = attributes & attribute.attributesMask;
    if (shown !== 0) at = writeAttributes(bytes, at, shown);
    if (fg !== 0) at = writeColor(bytes, at, fg, 30);
    if (bg !== 0) at = writeColor(bytes, at, bg, 40);
    if (underlineColor !== 0) {
      for (const char of underlineColorCodes(underlineColor)) bytes[at++] = char.charCodeAt(0);
    }
  }
  bytes[at++] = 0x6d;
  return at;
}

function writeAttributes(bytes: Uint8Array, start: number, attributes: number): number {
  let at = start;
  // The lowest bit first.
  for (let rest = attributes & onMask; rest !== 0; rest &= rest - 1) {
    at = writeParameter(bytes, at, codeOfBit[31 - Math.clz32(rest & -rest)]);
  }
  const underline = attribute.underlineNumber(attributes);
  if (underline === 0) return at;
  at = writeParameter(bytes, at, 4);
  if (underline === 1) return at;
  bytes[at++] = 0x3a;
  bytes[at++] = 0x30 + underline;
  return at;
}

/** @param low the code of the first of eight colours */
function writeColor(bytes: Uint8Array, start: number, color: number, low: number): number {
  const index = color & 0xff;
  if (colorKind(color) === 2) {
    let at = writeParameter(bytes, start, low + 8);
    at = writeParameter(bytes, at, 2);
    at = writeParameter(bytes, at, (color >> 16) & 0xff);
    at = writeParameter(bytes, at, (color >> 8) & 0xff);
    return writeParameter(bytes, at, index);
  }
  if (index < 8) return writeParameter(bytes, start, low + index);
  if (index < 16) return writeParameter(bytes, start, low + 60 + index - 8);
  const at = writeParameter(bytes, writeParameter(bytes, start, low + 8), 5);
  return writeParameter(bytes, at, index);
}

/** Writes a semicolon and a number of at most three digits. */
function writeParameter(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  bytes[at++] = 0x3b;
  if (value >= 100) bytes[at++] = 0x30 + Math.floor(value / 100);
  if (value >= 10) bytes[at++] = 0x30 + (Math.floor(value / 10) % 10);
  bytes[at++] = 0x30 + (value % 10);
  return at;
}

/**
 * Returns the parameters of SGR for a report. The numbers of a colour are subparameters of one
 * parameter (ISO 8613-6), as in xterm's reports, so that the requesting program can distinguish
 * them from other parameters.
 */
export function reportedSgr(
  fg: number,
  bg: number,
  underlineColor: number,
  attributes: number,
): string {
  return sgrCodes(fg, bg, underlineColor, attributes, true);
}

function sgrCodes(
  fg: number,
  bg: number,
  underlineColor: number,
  attributes: number,
  isReport: boolean,
): string {
  let codes = '0';
  for (let rest = attributes & onMask; rest !== 0; rest &= rest - 1) {
    codes += `;${codeOfBit[31 - Math.clz32(rest & -rest)]}`;
  }
  const underline = attribute.underlineNumber(attributes);
  if (underline === 1) codes += ';4';
  else if (underline > 1) codes += `;4:${underline}`;
  codes += colorCodes(fg, 30, 90, '38', isReport) + colorCodes(bg, 40, 100, '48', isReport);
  return codes + underlineColorCodes(underlineColor);
}

function underlineColorCodes(color: number): string {
  if (colorKind(color) === 0) return '';
  return colorKind(color) === 1 ? `;58:5:${color & 0xff}` : `;58:2::${rgb(color, ':')}`;
}

function colorCodes(
  color: number,
  low: number,
  high: number,
  extended: string,
  isReport: boolean,
): string {
  const index = color & 0xff;
  if (colorKind(color) === 0) return '';
  if (colorKind(color) === 2) {
    const parts = isReport ? `:2::${rgb(color, ':')}` : `;2;${rgb(color, ';')}`;
    return `;${extended}${parts}`;
  }
  if (index < 8) return `;${low + index}`;
  if (index < 16) return `;${high + index - 8}`;
  return isReport ? `;${extended}:5:${index}` : `;${extended};5;${index}`;
}

function rgb(color: number, separator: string): string {
  return [color >> 16, color >> 8, color].map((part) => part & 0xff).join(separator);
}
