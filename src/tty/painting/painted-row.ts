import { directions, notInCell } from '#base';
import { type Cell, type Color, type Cursor, plainStyle, type Size, type Style } from '#model';
import { clusterWidth, joins, widthAlone } from '#vt';
import type { Capabilities } from './capabilities.ts';
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
    const paintedRow = this.#rows.get(row);
    if (paintedRow !== undefined && paintedRow.texts.length === cols) return paintedRow;
    const painted = this.#make(row, cols);
    this.#rows.set(row, painted);
    return painted;
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

/** What a person's terminal is to show. */
export interface Picture {
  readonly size: Size;
  /**
   * One array per row of the size, with one cell per column. Rows that are the same object as in the
   * picture before are equal: painting skips them.
   */
  readonly rows: readonly (readonly Cell[])[];
  readonly cursor: Cursor;
  /** The title of the window; null leaves it. Without control characters. */
  readonly title: string | null;
  /** DECSCNM */
  readonly reverseVideo: boolean;
}

/** What a terminal makes of the text of one cell that is not a single ASCII character. */
export interface CellText {
  /** What is sent: the text, or a replacement if no terminal would show the text in one cell. */
  readonly text: string;
  readonly width: 1 | 2;
  /** All terminals agree on the width. Others may after mode 2027. */
  readonly isCertain: boolean;
  /** Columns beyond the width that a terminal without clusters may use. */
  readonly spill: number;
  /** Columns that it takes before its last character narrows it. */
  readonly room: number;
  readonly codePoints: readonly number[];
}

/** Bound of the cache; far more than the different characters of a screen in most scripts. */
const maxKnown = 8192;
const caches = [new Map<string, CellText>(), new Map<string, CellText>()] as const;

/** A letter, number or sign of the basic plane, and marks without a width that every terminal knows. */
const usual =
  /^(?![\u{10000}-\u{10ffff}])[\p{L}\p{N}\p{P}\p{S}\p{Zs}\p{Co}](?:(?=[\u0300-\u07ff]|[\u0e31-\u0e4e]|[\u20d0-\u20f0])[\p{Mn}\p{Me}])*$/u;
/** Wide characters that are as old as terminals for them: no emoji, and nothing added lately. */
const usualWide =
  /^[\u3000-\u303e\u3041-\u3096\u309b-\u30ff\u3105-\u312d\u3131-\u318e\u3190-\u319f\u3220-\u3247\u3250-\u32fe\u3300-\u4db5\u4e00-\u9fcc\ua000-\ua48c\uac00-\ud7a3\uf900-\ufad9\ufe30-\ufe52\uff01-\uff60\uffe0-\uffe6]/;

/** Replaces a cell that no terminal would show. */
const replacement: CellText = {
  text: '\ufffd',
  width: 1,
  isCertain: true,
  spill: 0,
  room: 1,
  codePoints: [0xfffd],
};

/** Returns how a cell is sent whose text is not a single ASCII character. */
function cellText(text: string, width: 1 | 2): CellText {
  const cache = caches[width - 1];
  const cell = cache.get(text);
  if (cell !== undefined) return cell;
  if (cache.size === maxKnown) cache.clear();
  const cellText = describe(text, width);
  cache.set(text, cellText);
  return cellText;
}

function describe(whole: string, width: 1 | 2): CellText {
  // What changes the direction of text would move the cells after it.
  const text = whole.replace(directions, '');
  const codePoints = Array.from(text, (char) => char.codePointAt(0) as number);
  const isSent = !notInCell.test(text) && codePoints.length > 0;
  // A mark without a character would join the cell before it.
  if (!isSent || widthAlone(codePoints[0]) === 0 || clusterWidth(codePoints) !== width) {
    return replacement;
  }
  const isCertain = usual.test(text) && (width === 1 || usualWide.test(text));
  const most = codePoints.reduce((sum, codePoint) => sum + widthAlone(codePoint), 0);
  const spill = isCertain ? 0 : Math.max(1, most - width);
  return {
    text,
    width,
    isCertain,
    spill,
    room: Math.max(width, widthAlone(codePoints[0])),
    codePoints,
  };
}

/** Whether a terminal with mode 2027 would add `next` to the cell before it. */
export function joinsBefore(before: CellText, next: CellText): boolean {
  return joins(before.codePoints, next.codePoints[0]);
}
