import { type Color, plainStyle, type Style } from '#model';

const flags = [
  ['bold', ';1'],
  ['dim', ';2'],
  ['italic', ';3'],
  ['blink', ';5'],
  ['inverse', ';7'],
  ['hidden', ';8'],
  ['strikethrough', ';9'],
  ['overline', ';53'],
] as const;

const underlines = ['none', 'single', 'double', 'curly', 'dotted', 'dashed'] as const;

/** Returns the shortest SGR sequence that changes the style of the pen; links are not part of it. */
export function sgrBetween(from: Style, to: Style): string {
  const ended = endCodes(from, to);
  if (ended === '') {
    const codes = addedCodes(from, to);
    return codes === '' ? '' : `\x1b[${codes.slice(1)}m`;
  }
  // Bold and dim have one code that ends both.
  const endsWeight = (from.bold && !to.bold) || (from.dim && !to.dim);
  const change = ended + addedCodes(endsWeight ? { ...from, bold: false, dim: false } : from, to);
  // Without a first number, it is 0: the default style.
  const reset = addedCodes(plainStyle, to);
  return `\x1b[${change.length - 1 <= reset.length ? change.slice(1) : reset}m`;
}

/** The codes that end what `from` has and `to` has not; each after a semicolon. */
function endCodes(from: Style, to: Style): string {
  let codes = (from.bold && !to.bold) || (from.dim && !to.dim) ? ';22' : '';
  if (from.italic && !to.italic) codes += ';23';
  if (from.underline !== 'none' && to.underline === 'none') codes += ';24';
  if (from.blink && !to.blink) codes += ';25';
  if (from.inverse && !to.inverse) codes += ';27';
  if (from.hidden && !to.hidden) codes += ';28';
  if (from.strikethrough && !to.strikethrough) codes += ';29';
  if (from.overline && !to.overline) codes += ';55';
  if (from.fg !== null && to.fg === null) codes += ';39';
  if (from.bg !== null && to.bg === null) codes += ';49';
  if (from.underlineColor !== null && to.underlineColor === null) codes += ';59';
  return codes;
}

/** The codes of what `to` has and `from` has not, or has differently; each after a semicolon. */
function addedCodes(from: Style, to: Style): string {
  let codes = '';
  for (const [name, on] of flags) if (to[name] && !from[name]) codes += on;
  if (to.underline !== from.underline && to.underline !== 'none') {
    codes += to.underline === 'single' ? ';4' : `;4:${underlines.indexOf(to.underline)}`;
  }
  if (to.fg !== from.fg && to.fg !== null) codes += colorCode(to.fg, 30);
  if (to.bg !== from.bg && to.bg !== null) codes += colorCode(to.bg, 40);
  const { underlineColor: line } = to;
  if (line !== from.underlineColor && line !== null) {
    codes += typeof line === 'number' ? `;58:5:${line}` : `;58:2::${rgb(line, ':')}`;
  }
  return codes;
}

/** @param low the code of the first of eight colours */
function colorCode(color: Exclude<Color, null>, low: number): string {
  if (typeof color === 'string') return `;${low + 8};2;${rgb(color, ';')}`;
  if (color < 8) return `;${low + color}`;
  if (color < 16) return `;${low + 60 + color - 8}`;
  return `;${low + 8};5;${color}`;
}

function rgb(color: string, separator: string): string {
  const value = Number.parseInt(color.slice(1), 16);
  return `${value >> 16}${separator}${(value >> 8) & 0xff}${separator}${value & 0xff}`;
}
