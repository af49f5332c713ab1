import { VtrError } from './errors.ts';

/** A colour: null for the default, a palette entry (0..255), or `#rrggbb`. */
export type Color = null | number | `#${string}`;

export type UnderlineStyle = 'none' | 'single' | 'double' | 'curly' | 'dotted' | 'dashed';

/** The appearance of a cell (SGR), and its hyperlink. */
export interface Style {
  readonly fg: Color;
  readonly bg: Color;
  readonly underlineColor: Color;
  readonly underline: UnderlineStyle;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly blink: boolean;
  readonly inverse: boolean;
  readonly hidden: boolean;
  readonly strikethrough: boolean;
  readonly overline: boolean;
  /** The URI of the cell's hyperlink (OSC 8), as the program set it; null if there is none. */
  readonly link: string | null;
}

/** One column of a row. A wide character is a cell of width 2 and, after it, one of width 0. */
export interface Cell {
  /** The grapheme. A space for a blank cell; empty for the second half of a wide character. */
  readonly text: string;
  readonly width: 0 | 1 | 2;
  readonly style: Style;
}

/** Returns a row or a line as text, without trailing blanks. */
export const cellsText = (cells: readonly Cell[]): string =>
  cells
    .map(({ text }) => text)
    .join('')
    .trimEnd();

/**
 * Returns whether a cell has text that is not visible: concealed (SGR 8), or in its background
 * colour.
 */
export const isHidden = ({ text, style: { hidden, fg, bg } }: Cell): boolean =>
  hasWords(text) && (hidden || (fg !== null && fg === bg));

/**
 * Returns whether text has letters or digits. Brackets in the colour of a bar, as in htop, hide
 * nothing.
 */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

type Flag = {
  [Name in keyof Style]: Style[Name] extends boolean ? Name : never;
}[keyof Style];

/** The bits of a cell's attributes in the service. */
const bits: readonly (readonly [Flag, number])[] = [
  ['bold', 0x01],
  ['italic', 0x02],
  ['dim', 0x08],
  ['blink', 0x10],
  ['inverse', 0x20],
  ['hidden', 0x40],
  ['strikethrough', 0x80],
  ['overline', 0x100],
];

/** Set for an underline of any style. */
const underlineBit = 0x04;

/** Returns the attributes of a style as one number. */
export function attributesOf(style: Style): number {
  let attributes = style.underline === 'none' ? 0 : underlineBit;
  for (const [name, bit] of bits) if (style[name]) attributes |= bit;
  return attributes;
}

/** Returns the flags of attributes. The style of the underline is not part of them. */
export function flagsOf(attributes: number): Record<Flag, boolean> {
  const flags = bits.map(([name, bit]) => [name, (attributes & bit) !== 0]);
  return Object.fromEntries(flags) as Record<Flag, boolean>;
}

/** Returns the names of the attributes that are set, except the underline. */
const attributeNames = (style: Style): Flag[] =>
  bits.map(([name]) => name).filter((name) => style[name]);

/** Neighbouring cells of a row that have the same style. */
export interface StyledRun {
  /** The first and the last column; 0-based. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** The style in words, such as `bold fg=1 bg=#303030`. */
  readonly style: string;
}

/** Returns the runs of a row that are not in plain style, for people. */
export function styledRuns(cells: readonly Cell[]): StyledRun[] {
  const runs: StyledRun[] = [];
  for (const [col, { text, style: cellStyle }] of cells.entries()) {
    const style = styleText(cellStyle);
    const last = runs.at(-1);
    if (last?.style === style) {
      runs[runs.length - 1] = { ...last, to: col, text: last.text + text };
    } else {
      runs.push({ from: col, to: col, text, style });
    }
  }
  return runs.filter(({ style }) => style !== '');
}

/** Returns the style in words, such as `bold fg=1 bg=#303030`; empty for plain style. */
function styleText(style: Style): string {
  const { fg, bg, underline, underlineColor, link } = style;
  return [
    ...attributeNames(style),
    ...(underline === 'none' ? [] : [`underline=${underline}`]),
    ...(underlineColor === null ? [] : [`underline-color=${underlineColor}`]),
    ...(fg === null ? [] : [`fg=${fg}`]),
    ...(bg === null ? [] : [`bg=${bg}`]),
    ...(link === null ? [] : [`link=${JSON.stringify(link)}`]),
  ].join(' ');
}

/** The first sixteen entries of xterm's default palette (XTerm-col.ad), as 0xRRGGBB. */
// biome-ignore format: a table
const named = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
  0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
];

/** The default colours: white on black, as palette entries 7 and 0. */
export const defaultForegroundRgb = 0xe5e5e5;
export const defaultBackgroundRgb = 0x000000;

/** Returns the 0xRRGGBB of a foreground colour. */
export const foregroundRgb = (color: Color): number => rgbOf(color) ?? defaultForegroundRgb;

/** Returns the 0xRRGGBB of a background colour. */
export const backgroundRgb = (color: Color): number => rgbOf(color) ?? defaultBackgroundRgb;

function rgbOf(color: Color): number | null {
  if (color === null) return null;
  return typeof color === 'number' ? paletteRgb(color) : Number.parseInt(color.slice(1), 16);
}

/**
 * Returns the 0xRRGGBB of a palette entry, 0..255: sixteen named colours, a cube of 6 x 6 x 6, and 24
 * greys (256colres.pl).
 */
export function paletteRgb(index: number): number {
  if (index < 16) return named[index] ?? 0;
  if (index >= 232) return (8 + 10 * (index - 232)) * 0x010101;
  const at = index - 16;
  return (
    level(Math.floor(at / 36)) * 0x10000 + level(Math.floor(at / 6) % 6) * 0x100 + level(at % 6)
  );
}

const level = (step: number): number => (step === 0 ? 0 : 55 + 40 * step);

/** Columns and rows of a screen, each a whole number in 1..{@link maxSide}. */
export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** The size of a cell in pixels. */
export interface CellPixels {
  readonly width: number;
  readonly height: number;
}

/** What programs are told if no other size is set. */
export const defaultCellPixels: CellPixels = { width: 10, height: 20 };

export const maxSide = 1000;
export const defaultSize: Size = { cols: 80, rows: 24 };

const fits = (side: unknown): boolean =>
  Number.isInteger(side) && (side as number) >= 1 && (side as number) <= maxSide;

export function isSize(size: Size): boolean {
  return fits(size.cols) && fits(size.rows);
}

/** @throws VtrError INVALID_SIZE if a side is not a whole number in 1..1000 */
export function checkSize(size: Size): Size {
  for (const side of ['cols', 'rows'] as const) {
    if (fits(size[side])) continue;
    throw new VtrError(
      'INVALID_SIZE',
      `${side} is ${String(size[side])}; it must be a whole number from 1 to ${maxSide}`,
      { details: { side, value: String(size[side]) } },
    );
  }
  return size;
}
