import { textHash } from '#base';
import { type Color, isSameStyle, plainStyle, type Style } from '#model';

/** Builds output, and knows the position of the cursor and the pen of the terminal that reads it. */
export class TtyWriter {
  text = '';
  /** Whether the cursor was moved other than by printing. */
  hasMoved = false;
  #style = plainStyle;
  /** -1 if unknown. */
  #row = -1;
  #col = -1;

  constructor(position: { readonly row: number; readonly col: number } | null) {
    if (position === null) return;
    this.#row = position.row;
    this.#col = position.col;
  }

  /** Adds sequences that do not move the cursor. */
  put(sequence: string): void {
    this.text += sequence;
  }

  /** The column is unknown, as after text of an uncertain width. */
  forgetCol(): void {
    this.#col = -1;
  }

  /** The cursor was moved by a sequence; -1 if where to is unknown. */
  setPosition(row: number, col: number): void {
    this.#row = row;
    this.#col = col;
    this.hasMoved = true;
  }

  /** Whether the cursor is known to be here. */
  isAt(row: number, col: number): boolean {
    return this.#row === row && this.#col === col;
  }

  moveTo(row: number, col: number): void {
    if (this.isAt(row, col)) return;
    this.text += this.#move(row, col);
    this.hasMoved = true;
    this.#row = row;
    this.#col = col;
  }

  /** Prints text that takes `cols` columns, the last of which is before `limit`. */
  print(text: string, cols: number, limit: number): void {
    this.text += text;
    this.#col += cols;
    // In the last column terminals differ: the next character wraps, or the cursor has wrapped.
    if (this.#col >= limit) this.#col = -1;
  }

  hasStyle(style: Style): boolean {
    return isSameStyle(style, this.#style);
  }

  setStyle(style: Style): void {
    if (isSameStyle(style, this.#style)) return;
    this.text += sgrBetween(this.#style, style);
    if (style.link !== this.#style.link) this.text += linkSequence(style.link);
    this.#style = style;
  }

  #move(row: number, col: number): string {
    if (row === this.#row) {
      if (col === 0) return '\r';
      const forward = col - this.#col;
      if (this.#col >= 0 && forward > 0) return forward === 1 ? '\x1b[C' : `\x1b[${forward}C`;
      if (this.#col >= 0 && forward === -1) return '\b';
      return `\x1b[${col + 1}G`;
    }
    // Never LF alone: the line discipline may add CR.
    if (this.#row >= 0 && row === this.#row + 1 && col === 0) return '\r\n';
    if (col === 0) return row === 0 ? '\x1b[H' : `\x1b[${row + 1}H`;
    return `\x1b[${row + 1};${col + 1}H`;
  }
}

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
function sgrBetween(from: Style, to: Style): string {
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

/**
 * Returns the sequence that begins a hyperlink, or ends one (OSC 8). The id depends only on the URI,
 * so that cells painted at different times are one link.
 */
export const linkSequence = (uri: string | null): string =>
  uri === null ? '\x1b]8;;\x1b\\' : `\x1b]8;id=v${textHash(uri).toString(36)};${uri}\x1b\\`;
