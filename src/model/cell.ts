/** Null is the default colour, a number an entry of the palette (0..255), a string true colour. */
export type Color = null | number | `#${string}`;

export type UnderlineStyle = 'none' | 'single' | 'double' | 'curly' | 'dotted' | 'dashed';

/** How a cell looks (SGR), and where it leads. */
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
  /** The URI of the hyperlink that the cell is part of (OSC 8). Output chose it. */
  readonly link: string | null;
}

/** One column of a row. A wide character is a cell of width 2 and, after it, one of width 0. */
export interface Cell {
  /** The grapheme; a blank cell is a space, the second half of a wide character is empty. */
  readonly text: string;
  readonly width: 0 | 1 | 2;
  readonly style: Style;
}

/** A row or a line as text, without trailing blanks. */
export const cellsText = (cells: readonly Cell[]): string =>
  cells
    .map(({ text }) => text)
    .join('')
    .trimEnd();

/** Text that is there and that nobody sees: concealed (SGR 8), or in the colour of its background. */
export const isHidden = ({ text, style: { hidden, fg, bg } }: Cell): boolean =>
  hasWords(text) && (hidden || (fg !== null && fg === bg));

/** Brackets in the colour of a bar, as htop draws them, hide nothing from anybody. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

type Flag = {
  [Name in keyof Style]: Style[Name] extends boolean ? Name : never;
}[keyof Style];

/** The bits of a cell's attributes, as the service numbers them. */
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

/** There is an underline, of whatever style. */
const underlineBit = 0x04;

/** A style's attributes as one number. */
export function attributesOf(style: Style): number {
  let attributes = style.underline === 'none' ? 0 : underlineBit;
  for (const [name, bit] of bits) if (style[name]) attributes |= bit;
  return attributes;
}

/** What attributes say; the style of the underline they do not. */
export function flagsOf(attributes: number): Record<Flag, boolean> {
  const flags = bits.map(([name, bit]) => [name, (attributes & bit) !== 0]);
  return Object.fromEntries(flags) as Record<Flag, boolean>;
}

/** The names of the attributes that are set, but for the underline. */
export const attributeNames = (style: Style): Flag[] =>
  bits.map(([name]) => name).filter((name) => style[name]);

/** The first sixteen entries of xterm's default palette (XTerm-col.ad), as 0xRRGGBB. */
// biome-ignore format: a table
const named = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
  0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
];

/** The default colours: white on black, as entries 7 and 0 of the palette. */
export const defaultForegroundRgb = 0xe5e5e5;
export const defaultBackgroundRgb = 0x000000;

/** 0xRRGGBB of a foreground, for who draws with colours only. */
export const foregroundRgb = (color: Color): number => rgbOf(color) ?? defaultForegroundRgb;

/** 0xRRGGBB of a background. */
export const backgroundRgb = (color: Color): number => rgbOf(color) ?? defaultBackgroundRgb;

function rgbOf(color: Color): number | null {
  if (color === null) return null;
  return typeof color === 'number' ? paletteRgb(color) : Number.parseInt(color.slice(1), 16);
}

/** 0xRRGGBB of an entry, 0..255: sixteen names, a cube of 6 x 6 x 6, 24 greys (256colres.pl). */
export function paletteRgb(index: number): number {
  if (index < 16) return named[index] ?? 0;
  if (index >= 232) return (8 + 10 * (index - 232)) * 0x010101;
  const at = index - 16;
  return (
    level(Math.floor(at / 36)) * 0x10000 + level(Math.floor(at / 6) % 6) * 0x100 + level(at % 6)
  );
}

const level = (step: number): number => (step === 0 ? 0 : 55 + 40 * step);
