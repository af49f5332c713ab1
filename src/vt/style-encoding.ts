import { linkNumber } from './attributes.ts';
import { colorKind } from './color.ts';

/** Bytes that are set aside for an encoded style: its length, then at most 15. */
export const encodedStyleBytes = 16;
/** In the first byte, beside the kinds of foreground, background and underline colour. */
export const hasAttributes = 1 << 6;
export const hasLink = 1 << 7;
const attributeMask = 0xfff;

/**
 * Encodes a style as scrollback keeps it, at `start`: a byte that says what follows; of each colour
 * that is no default the index, or the three bytes of the RGB value, the lowest first; the
 * attributes, if there are any, in two bytes; the number of the link, if there is one, in three.
 */
export function encodeStyle(
  into: Uint8Array,
  start: number,
  fg: number,
  bg: number,
  underlineColor: number,
  attributes: number,
): void {
  const header = start + 1;
  let at = writeColor(into, header + 1, fg);
  at = writeColor(into, at, bg);
  at = writeColor(into, at, underlineColor);
  const kinds = colorKind(fg) | (colorKind(bg) << 2) | (colorKind(underlineColor) << 4);
  const own = attributes & attributeMask;
  const link = linkNumber(attributes);
  into[header] = kinds | (own === 0 ? 0 : hasAttributes) | (link === 0 ? 0 : hasLink);
  if (own !== 0) {
    into[at++] = own;
    into[at++] = own >> 8;
  }
  if (link !== 0) {
    into[at++] = link;
    into[at++] = link >> 8;
    into[at++] = link >> 16;
  }
  into[start] = at - header;
}

function writeColor(bytes: Uint8Array, start: number, color: number): number {
  const kind = colorKind(color);
  if (kind === 0) return start;
  bytes[start] = color;
  if (kind === 1) return start + 1;
  bytes[start + 1] = color >> 8;
  bytes[start + 2] = color >> 16;
  return start + 3;
}
