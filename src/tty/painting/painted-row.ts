import { type Cell, type Color, plainStyle, type Style } from '#model';
import type { Capabilities } from './capabilities.ts';
import { type CellText, cellText, replacement } from './cell-text.ts';
import type { Picture } from './picture.ts';
import { hasMarks, reducedStyle } from './reduced-style.ts';

/** A row as one terminal can show it. */
export class PaintedRow {
  /** By column; empty for the second half of a wide character. */
  readonly texts: readonly string[];
  /** By column. Only the background counts in a blank cell without lines. */
  readonly styles: readonly Style[];
  /** By column: the cells whose text is not a single ASCII character; null if there are none. */
  readonly special: readonly (CellText | undefined)[] | null;
  #hash = -1;
  #used = -1;

  constructor(
    texts: readonly string[],
    styles: readonly Style[],
    special: readonly (CellText | undefined)[] | null,
  ) {
    this.texts = texts;
    this.styles = styles;
    this.special = special;
  }

  /** A number from the text, at least 0; 0 if the row is blank. */
  get hash(): number {
    if (this.#hash >= 0) return this.#hash;
    let hash = 0;
    for (const text of this.texts) {
      for (let at = 0; at < text.length; at++) {
        const unit = text.charCodeAt(at);
        hash = Math.imul(hash ^ unit, 0x01000193) + unit;
      }
    }
    this.#hash = this.used === 0 ? 0 : hash >>> 1;
    return this.#hash;
  }

  /** The number of cells that are not blank. */
  get used(): number {
    if (this.#used < 0)
      this.#used = this.texts.reduce((sum, text) => sum + (text === ' ' ? 0 : 1), 0);
    return this.#used;
  }
}

/** Bound on the styles of blank cells that are kept. */
const maxBlanks = 4096;

/** Reduces the rows of pictures to what one terminal can show. Each row object is reduced once. */
export class RowReducer {
  readonly #capabilities: Capabilities;
  readonly #isReversed: boolean;
  /** Whether styles without a link are shown as they are. */
  readonly #isWhole: boolean;
  readonly #rows = new WeakMap<readonly Cell[], PaintedRow>();
  readonly #styles = new WeakMap<Style, Style>();
  readonly #blanks = new Map<Color, Style>();

  /** @param isReversed see {@link reducedStyle} */
  constructor(capabilities: Capabilities, isReversed: boolean) {
    this.#capabilities = capabilities;
    this.#isReversed = isReversed;
    const { colors, styledUnderlines } = capabilities;
    this.#isWhole = colors === 'truecolor' && styledUnderlines && !isReversed;
  }

  rows({ rows, size }: Picture): PaintedRow[] {
    return Array.from({ length: size.rows }, (_, row) =>
      this.reduce(rows[row] ?? emptyRow, size.cols),
    );
  }

  /** Returns the first `cols` cells of a row; missing ones are blank. All blank rows are one object. */
  reduce(row: readonly Cell[], cols: number): PaintedRow {
    const known = this.#rows.get(row);
    if (known !== undefined && known.texts.length === cols) return known;
    const made = this.#make(row, cols);
    this.#rows.set(row, made);
    return made;
  }

  #make(row: readonly Cell[], cols: number): PaintedRow {
    const texts = new Array<string>(cols);
    const styles = new Array<Style>(cols);
    let special: (CellText | undefined)[] | null = null;
    let last = plainStyle;
    let style = this.#reduced(plainStyle);
    let blank = this.#blank(style);
    let isEmpty = row !== emptyRow;
    for (let col = 0; col < cols; col++) {
      const cell = row[col] ?? blankCell;
      if (cell.style !== last) {
        last = cell.style;
        style = this.#reduced(last);
        blank = this.#blank(style);
      }
      const { text } = cell;
      if (text.length === 1 && text >= ' ' && text <= '~') {
        texts[col] = text;
        styles[col] = text === ' ' ? blank : style;
        if (text !== ' ' || blank !== plainStyle) isEmpty = false;
      } else if (cell.width === 0) {
        // The second half of nothing.
        texts[col] = ' ';
        styles[col] = blank;
        if (blank !== plainStyle) isEmpty = false;
      } else {
        isEmpty = false;
        const isWide = cell.width === 2 && col + 1 < cols && row[col + 1]?.width === 0;
        const whole = cellText(text, isWide ? 2 : 1);
        const described = col + whole.room > cols ? replacement : whole;
        special ??= new Array<CellText | undefined>(cols);
        special[col] = described;
        texts[col] = described.text;
        styles[col] = style;
        if (!isWide) continue;
        col++;
        texts[col] = described.width === 2 ? '' : ' ';
        styles[col] = described.width === 2 ? style : blank;
      }
    }
    return isEmpty ? this.reduce(emptyRow, cols) : new PaintedRow(texts, styles, special);
  }

  #reduced(style: Style): Style {
    if (this.#isWhole && style.link === null) return style;
    let reduced = this.#styles.get(style);
    if (reduced === undefined) {
      reduced = reducedStyle(style, this.#capabilities, this.#isReversed);
      this.#styles.set(style, reduced);
    }
    return reduced;
  }

  /** Blank cells that look the same have the same style. */
  #blank(style: Style): Style {
    if (hasMarks(style) || isBackground(style)) return style;
    let blank = this.#blanks.get(style.bg);
    if (blank === undefined) {
      if (this.#blanks.size === maxBlanks) this.#blanks.clear();
      blank = style.bg === null ? plainStyle : { ...plainStyle, bg: style.bg };
      this.#blanks.set(style.bg, blank);
    }
    return blank;
  }
}

/** Whether a style without marks has nothing but a background. */
function isBackground({ fg, underlineColor, bold, dim, italic, blink, hidden }: Style): boolean {
  return fg === null && underlineColor === null && !(bold || dim || italic || blink || hidden);
}

const emptyRow: readonly Cell[] = [];
const blankCell: Cell = { text: ' ', width: 1, style: plainStyle };
