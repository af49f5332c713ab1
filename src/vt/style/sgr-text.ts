import * as attribute from './attributes.ts';
import { colorKind } from './color.ts';
import type { StyleTable } from './style-table.ts';
import { defaultStyle } from './style-word.ts';

const onCodes: readonly (readonly [bit: number, code: number])[] = [
  [attribute.bold, 1],
  [attribute.dim, 2],
  [attribute.italic, 3],
  [attribute.blink, 5],
  [attribute.inverse, 7],
  [attribute.hidden, 8],
  [attribute.strikethrough, 9],
  [attribute.overline, 53],
];

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
  for (const [bit, code] of onCodes) if ((attributes & bit) !== 0) codes += `;${code}`;
  const underline = attribute.underlineNumber(attributes);
  if (underline === 1) codes += ';4';
  else if (underline > 1) codes += `;4:${underline}`;
  codes += colorCodes(fg, 30, 90, '38', isReport) + colorCodes(bg, 40, 100, '48', isReport);
  if (colorKind(underlineColor) === 1) codes += `;58:5:${underlineColor & 0xff}`;
  if (colorKind(underlineColor) === 2) codes += `;58:2::${rgb(underlineColor, ':')}`;
  return codes;
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
