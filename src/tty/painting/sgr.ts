import type { Color, Style } from '#model';

type Code = readonly [name: FlagName, on: number, off: number];
type FlagName = { [Name in keyof Style]: Style[Name] extends boolean ? Name : never }[keyof Style];

const flags: readonly Code[] = [
  ['bold', 1, 22],
  ['dim', 2, 22],
  ['italic', 3, 23],
  ['blink', 5, 25],
  ['inverse', 7, 27],
  ['hidden', 8, 28],
  ['strikethrough', 9, 29],
  ['overline', 53, 55],
];

const underlines = ['none', 'single', 'double', 'curly', 'dotted', 'dashed'] as const;

export const plainStyle: Style = Object.freeze({
  fg: null,
  bg: null,
  underlineColor: null,
  underline: 'none',
  bold: false,
  dim: false,
  italic: false,
  blink: false,
  inverse: false,
  hidden: false,
  strikethrough: false,
  overline: false,
  link: null,
});

/** Returns the shortest SGR sequence that changes the style of the pen; links are not part of it. */
export function sgrBetween(from: Style, to: Style): string {
  const reset = ['', ...added(plainStyle, to)].join(';');
  const change = changes(from, to);
  if (change.length === 0) return '';
  const difference = change.join(';');
  return `\x1b[${difference.length <= reset.length ? difference : reset}m`;
}

function changes(from: Style, to: Style): string[] {
  const codes: string[] = [];
  // Bold and dim have one code that ends both.
  const endsWeight = (from.bold && !to.bold) || (from.dim && !to.dim);
  const begun = endsWeight ? { ...from, bold: false, dim: false } : from;
  if (endsWeight) codes.push('22');
  for (const [name, , off] of flags) if (begun[name] && !to[name]) codes.push(String(off));
  if (from.underline !== 'none' && to.underline === 'none') codes.push('24');
  if (from.fg !== null && to.fg === null) codes.push('39');
  if (from.bg !== null && to.bg === null) codes.push('49');
  if (from.underlineColor !== null && to.underlineColor === null) codes.push('59');
  codes.push(...added(begun, to));
  return codes;
}

/** The codes of what `to` has and `from` does not have, or has differently. */
function added(from: Style, to: Style): string[] {
  const codes: string[] = [];
  for (const [name, on] of flags) if (to[name] && !from[name]) codes.push(String(on));
  if (to.underline !== from.underline && to.underline !== 'none') {
    codes.push(to.underline === 'single' ? '4' : `4:${underlines.indexOf(to.underline)}`);
  }
  if (to.fg !== from.fg && to.fg !== null) codes.push(colorCode(to.fg, 30));
  if (to.bg !== from.bg && to.bg !== null) codes.push(colorCode(to.bg, 40));
  const { underlineColor: line } = to;
  if (line !== from.underlineColor && line !== null) {
    codes.push(typeof line === 'number' ? `58:5:${line}` : `58:2::${rgb(line, ':')}`);
  }
  return codes;
}

/** @param low the code of the first of eight colours */
function colorCode(color: Exclude<Color, null>, low: number): string {
  if (typeof color === 'string') return `${low + 8};2;${rgb(color, ';')}`;
  if (color < 8) return String(low + color);
  if (color < 16) return String(low + 60 + color - 8);
  return `${low + 8};5;${color}`;
}

function rgb(color: string, separator: string): string {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff].join(separator);
}
