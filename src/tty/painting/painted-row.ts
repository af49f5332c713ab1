import type { Cell, Style } from '#model';
import type { Capabilities } from './capabilities.ts';
import { type CellText, cellText, replacement } from './cell-text.ts';
import type { Picture } from './picture.ts';
import { reducedStyle } from './reduced-style.ts';
import { plainStyle } from './sgr.ts';

/** A row as one terminal can show it. */
export class PaintedRow {
  /** By column; empty for the second half of a wide character. */
  readonly texts: readonly string[];
  /** By column. Of a blank cell without lines, only the background counts. */
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

interface Reduced {
  readonly style: Style;
  /** The style of a blank cell. */
  readonly blank: Style;
}

/** Bound on the styles that are kept equal by identity. */
const maxStyles = 4096;

/** Reduces the rows of pictures to what one terminal can show. Each row object is reduced once. */
export class RowReducer {
  readonly #capabilities: Capabilities;
  readonly #isReversed: boolean;
  readonly #rows = new WeakMap<readonly Cell[], PaintedRow>();
  readonly #styles = new WeakMap<Style, Reduced>();
  /** Equal styles are the same object, as long as this is not full. */
  readonly #interned = new Map<string, Style>();

  /** @param isReversed see {@link reducedStyle} */
  constructor(capabilities: Capabilities, isReversed: boolean) {
    this.#capabilities = capabilities;
    this.#isReversed = isReversed;
  }

  rows({ rows, size }: Picture): PaintedRow[] {
    return Array.from({ length: size.rows }, (_, row) =>
      this.reduce(rows[row] ?? emptyRow, size.cols),
    );
  }

  /** Returns the first `cols` cells of a row; missing ones are blank. */
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
    let last: Style | null = null;
    let reduced = this.#reduced(plainStyle);
    for (let col = 0; col < cols; col++) {
      const cell = row[col] ?? blankCell;
      if (cell.style !== last) {
        last = cell.style;
        reduced = this.#reduced(last);
      }
      const { text } = cell;
      styles[col] = reduced.style;
      if (text.length === 1 && text >= ' ' && text <= '~') {
        texts[col] = text;
        if (text === ' ') styles[col] = reduced.blank;
      } else if (cell.width === 0) {
        // The second half of nothing.
        texts[col] = ' ';
        styles[col] = reduced.blank;
      } else {
        const isWide = cell.width === 2 && col + 1 < cols && row[col + 1]?.width === 0;
        const whole = cellText(text, isWide ? 2 : 1);
        const described = col + whole.room > cols ? replacement : whole;
        special ??= new Array<CellText | undefined>(cols);
        special[col] = described;
        texts[col] = described.text;
        if (!isWide) continue;
        col++;
        texts[col] = described.width === 2 ? '' : ' ';
        styles[col] = described.width === 2 ? reduced.style : reduced.blank;
      }
    }
    return new PaintedRow(texts, styles, special);
  }

  #reduced(style: Style): Reduced {
    const known = this.#styles.get(style);
    if (known !== undefined) return known;
    const whole = this.#intern(reducedStyle(style, this.#capabilities, this.#isReversed));
    const made = { style: whole, blank: this.#intern(blankStyle(whole)) };
    this.#styles.set(style, made);
    return made;
  }

  #intern(style: Style): Style {
    const key = Object.values(style).join(' ');
    const known = this.#interned.get(key);
    if (known !== undefined) return known;
    if (this.#interned.size === maxStyles) this.#interned.clear();
    this.#interned.set(key, style);
    return style;
  }
}

const emptyRow: readonly Cell[] = [];
const blankCell: Cell = { text: ' ', width: 1, style: plainStyle };

/** Blank cells that look the same have the same style. */
function blankStyle(style: Style): Style {
  const hasLines = style.underline !== 'none' || style.strikethrough || style.overline;
  if (hasLines || style.inverse || style.link !== null) return style;
  return { ...plainStyle, bg: style.bg };
}
