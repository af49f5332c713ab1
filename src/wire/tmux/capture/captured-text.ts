import type { Cell, Color, Style, UnderlineStyle } from '#model';
import type { Row } from './pane-rows.ts';

export interface CaptureOptions {
  /** Whether styles are kept, as SGR sequences. */
  readonly styles: boolean;
  /** Whether characters that are not printable are written in octal. */
  readonly octal: boolean;
  /** Whether wrapped rows are joined; this keeps blanks at the ends of lines. */
  readonly join: boolean;
  readonly keepBlanks: boolean;
}

/** Returns rows as `capture-pane` prints them, without the last line end. */
export function capturedText(rows: readonly Row[], options: CaptureOptions): string {
  const writer = new StyleWriter(options.octal);
  let text = '';
  for (const [at, { cells, used, wrapped }] of rows.entries()) {
    const shown =
      options.join || options.keepBlanks
        ? cells.slice(0, used)
        : withoutBlanks(cells, options.styles);
    for (const cell of shown) {
      if (cell.width === 0) continue;
      if (options.styles) text += writer.change(cell.style);
      text += options.octal ? cell.text.replace(/\\/g, '\\\\') : cell.text;
    }
    if (at < rows.length - 1 && !(options.join && wrapped)) text += '\n';
  }
  return text;
}

/** Blanks at the end count only with a background. */
function withoutBlanks(cells: readonly Cell[], styles: boolean): readonly Cell[] {
  let end = cells.length;
  while (end > 0) {
    const cell = cells[end - 1];
    if (cell === undefined || cell.text.trim() !== '' || cell.width === 0) break;
    if (styles && (cell.style.bg !== null || cell.style.inverse)) break;
    end--;
  }
  return cells.slice(0, end);
}

const underlined =
  (wanted: UnderlineStyle) =>
  ({ underline }: Style): boolean =>
    underline === wanted;

/** Attributes with their codes, in the order in which tmux writes them; 42 is written `4:2`. */
const attributes: readonly (readonly [code: number, isSet: (style: Style) => boolean])[] = [
  [1, ({ bold }) => bold],
  [2, ({ dim }) => dim],
  [3, ({ italic }) => italic],
  [4, underlined('single')],
  [5, ({ blink }) => blink],
  [7, ({ inverse }) => inverse],
  [8, ({ hidden }) => hidden],
  [9, ({ strikethrough }) => strikethrough],
  [42, underlined('double')],
  [43, underlined('curly')],
  [44, underlined('dotted')],
  [45, underlined('dashed')],
  [53, ({ overline }) => overline],
];

/** Writes the changes from one style to the next. */
class StyleWriter {
  readonly #escape: string;
  #codes: ReadonlySet<number> = new Set();
  #fg: Color = null;
  #bg: Color = null;
  #underline: Color = null;

  constructor(octal: boolean) {
    this.#escape = octal ? '\\033[' : '\x1b[';
  }

  change(style: Style): string {
    const codes = new Set(attributes.flatMap(([code, isSet]) => (isSet(style) ? [code] : [])));
    const isReset =
      [...this.#codes].some((code) => !codes.has(code)) ||
      (this.#underline !== null && style.underlineColor === null);
    const fresh = [...codes].filter((code) => isReset || !this.#codes.has(code));
    let text = this.#sequence([...(isReset ? [0] : []), ...fresh].map(codeText));
    text += this.#colour(this.#fg, style.fg, 30, isReset);
    text += this.#colour(this.#bg, style.bg, 40, isReset);
    if (style.underlineColor !== null && (isReset || this.#underline !== style.underlineColor)) {
      text += this.#sequence(wideColour(style.underlineColor, 58));
    }
    this.#codes = codes;
    this.#fg = style.fg;
    this.#bg = style.bg;
    this.#underline = style.underlineColor;
    return text;
  }

  #colour(before: Color, now: Color, base: number, isReset: boolean): string {
    if (!isReset && before === now) return '';
    if (now === null) return this.#sequence([String(base + 9)]);
    if (typeof now === 'number' && now < 8) return this.#sequence([String(base + now)]);
    if (typeof now === 'number' && now < 16) return this.#sequence([String(base + 52 + now)]);
    return this.#sequence(wideColour(now, base + 8));
  }

  #sequence(codes: readonly string[]): string {
    return codes.length === 0 ? '' : `${this.#escape}${codes.join(';')}m`;
  }
}

const codeText = (code: number): string =>
  code > 10 && code < 50 ? `4:${code - 40}` : String(code);

function wideColour(colour: number | string, code: number): string[] {
  if (typeof colour === 'number') return [String(code), '5', String(colour)];
  const number = Number.parseInt(colour.slice(1), 16);
  const parts = [number >> 16, (number >> 8) & 0xff, number & 0xff];
  return [String(code), '2', ...parts.map(String)];
}
