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

/** The SGR sequence that sets this style, whatever was set before. */
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

export function sgrOf(fg: number, bg: number, underlineColor: number, attributes: number): string {
  let codes = '0';
  for (const [bit, code] of onCodes) if ((attributes & bit) !== 0) codes += `;${code}`;
  const underline = attribute.underlineNumber(attributes);
  if (underline === 1) codes += ';4';
  else if (underline > 1) codes += `;4:${underline}`;
  codes += colorCodes(fg, 30, 90, '38') + colorCodes(bg, 40, 100, '48');
  if (colorKind(underlineColor) === 1) codes += `;58:5:${underlineColor & 0xff}`;
  if (colorKind(underlineColor) === 2) codes += `;58:2::${rgb(underlineColor, ':')}`;
  return `\x1b[${codes}m`;
}

function colorCodes(color: number, low: number, high: number, extended: string): string {
  const index = color & 0xff;
  if (colorKind(color) === 2) return `;${extended};2;${rgb(color, ';')}`;
  if (colorKind(color) === 0) return '';
  if (index < 8) return `;${low + index}`;
  return index < 16 ? `;${high + index - 8}` : `;${extended};5;${index}`;
}

function rgb(color: number, separator: string): string {
  return [color >> 16, color >> 8, color].map((part) => part & 0xff).join(separator);
}
