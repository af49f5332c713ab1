import { charWidth } from '../cells/width.ts';
import * as rectangle from '../editing/rectangles.ts';
import type { Params } from '../parser/params.ts';
import { checksum, commonRendition } from '../reading/rectangle-reports.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import * as attribute from '../style/attributes.ts';
import { csi } from './control-function.ts';

/** The attribute bits of the SGR values that DECCARA and DECRARA support. */
const attributeBits: Readonly<Record<number, number>> = {
  1: attribute.bold,
  5: attribute.blink,
  7: attribute.inverse,
  8: attribute.hidden,
};
/**
 * The attributes that 0 means in DECCARA and DECRARA. Hidden was added later and is not one of
 * them.
 */
const defaultAttributes = [1, 4, 5, 7];

/**
 * DECCARA: 0 resets all, 1 bold, 4 underlined, 5 blinking, 7 inverse, 8 hidden; 20 more resets the
 * attribute.
 */
function set(attributes: number, value: number): number {
  if (value === 0) return defaultAttributes.reduce((all, each) => set(all, each + 20), attributes);
  if (value === 4 || value === 24) return attribute.withUnderline(attributes, value === 4 ? 1 : 0);
  if (value === 21) return attributes & ~attribute.bold;
  const off = value > 20;
  const bit = attributeBits[value === 22 ? 1 : off ? value - 20 : value] ?? 0;
  return off ? attributes & ~bit : attributes | bit;
}

/** DECRARA */
function reverse(attributes: number, value: number): number {
  if (value === 0) return defaultAttributes.reduce(reverse, attributes);
  if (value !== 4) return attributes ^ (attributeBits[value] ?? 0);
  return attribute.withUnderline(attributes, attribute.underlineNumber(attributes) === 0 ? 1 : 0);
}

function change(t: TerminalState, params: Params, name: string, by: typeof set): void {
  const area = rectangle.readRectangle(t, params, 0);
  if (area === null) return;
  const values: number[] = [];
  for (let at = 4; at < Math.max(5, params.length); at++) values.push(params.get(at));
  const change = (attributes: number) => values.reduce(by, attributes);
  rectangle.changeAttributes(t, area, `${name}${values}`, change);
}

function copy(t: TerminalState, params: Params): void {
  const area = rectangle.readRectangle(t, params, 0);
  if (area === null) return;
  const { top, left } = rectangle.addressable(t);
  rectangle.copyRectangle(t, area, top + params.count(5) - 1, left + params.count(6) - 1);
}

function fill(t: TerminalState, params: Params): void {
  const area = rectangle.readRectangle(t, params, 1);
  const code = params.get(0);
  const isPrintable = (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff);
  if (area === null || !isPrintable) return;
  const codePoint = t.charsets.characterAt(code);
  if (charWidth(codePoint) === 1) rectangle.fillRectangle(t, area, codePoint);
}

function erase(t: TerminalState, params: Params, how: typeof rectangle.eraseRectangle): void {
  const area = rectangle.readRectangle(t, params, 0);
  if (area !== null) how(t, area);
}

/** DECSACE: 2 selects rectangles; 0 and 1 select the text between the two corners. */
function setExtent(t: TerminalState, params: Params): void {
  if (params.get(0) <= 2) t.modes.rectangularExtent = params.get(0) === 2;
}

/** Programs use the number to match replies. DEC's terminals do not accept larger ones. */
const maxRequestId = 16_383;

const longestAnswer = '\x1bP16383!~FFFF\x1b\\'.length;

function reportChecksum(t: TerminalState, params: Params): void {
  // Avoids the work for a reply that would be dropped.
  if (!t.replies.hasRoom(longestAnswer)) return;
  const area = rectangle.readRectangle(t, params, 2);
  const sum = area === null ? 0 : checksum(t, area, t.modes.checksumFlags);
  const digits = sum.toString(16).toUpperCase().padStart(4, '0');
  t.replies.push(`\x1bP${Math.min(params.get(0), maxRequestId)}!~${digits}\x1b\\`);
}

/** The length of the shortest reply. */
const shortestRendition = '\x1b[0m'.length;

function reportRendition(t: TerminalState, params: Params): void {
  const area = rectangle.readRectangle(t, params, 0);
  if (area === null || !t.replies.hasRoom(shortestRendition)) return;
  t.replies.push(commonRendition(t, area));
}

function setChecksumFlags(t: TerminalState, params: Params): void {
  t.modes.checksumFlags = params.get(0) & 0x3f;
}

// biome-ignore format: one line per function
export const rectangleFunctions = [
  csi('Pm $ r', 'DECCARA', 'Change attributes in a rectangle', (t, p) => change(t, p, 'set', set)),
  csi('Pm $ t', 'DECRARA', 'Reverse attributes in a rectangle', (t, p) => change(t, p, 'reverse', reverse)),
  csi('Pm $ v', 'DECCRA', 'Copy a rectangle', copy),
  csi('Pm $ x', 'DECFRA', 'Fill a rectangle with a character', fill),
  csi('Pm $ z', 'DECERA', 'Erase a rectangle', (t, p) => erase(t, p, rectangle.eraseRectangle)),
  csi('Pm $ {', 'DECSERA', 'Erase the unprotected cells of a rectangle', (t, p) => erase(t, p, rectangle.eraseRectangleSelectively)),
  csi('Ps * x', 'DECSACE', 'Select the extent of DECCARA and DECRARA: the text between the corners (0, 1) or the rectangle (2)', setExtent),
  csi('Pm * y', 'DECRQCRA', 'Report the checksum of a rectangle', reportChecksum),
  csi('Pm # |', 'XTREPORTSGR', 'Report the attributes and colours that all cells of a rectangle share, as SGR', reportRendition),
  csi('Ps # y', 'XTCHECKSUM', 'Set how checksums are computed; the bits are listed in ctlseqs', setChecksumFlags),
];
