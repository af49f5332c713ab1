import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Cell, Color, Style } from '#model';
import {
  type CellColor,
  CellColorSchema,
  type ScreenCell,
  ScreenCellSchema,
} from '../gen/vtr.gen.ts';
import { defaultBackground, defaultForeground, paletteColor } from './palette.ts';
import { underlineStyles } from './words.ts';

type Flag = {
  [Name in keyof Style]: Style[Name] extends boolean ? Name : never;
}[keyof Style];

/** Bits of `ScreenCell.attributes`. 0x04 says that there is an underline, of whatever style. */
const attributeBits: readonly (readonly [Flag, number])[] = [
  ['bold', 0x01],
  ['italic', 0x02],
  ['dim', 0x08],
  ['blink', 0x10],
  ['inverse', 0x20],
  ['hidden', 0x40],
  ['strikethrough', 0x80],
  ['overline', 0x100],
];
const underlineBit = 0x04;

/** What a style is on the wire: the fields that cells of one look share. */
type Look = Omit<MessageInitShape<typeof ScreenCellSchema>, '$typeName' | 'char' | 'wide'>;

/**
 * Cells of one character of ASCII, by their style and their text: most of a screen. Terminals give
 * cells that look alike the same style, so a screen of 2000 cells is some dozen messages.
 */
const asciiCells = new WeakMap<Style, Map<string, ScreenCell>>();

/** The message may be another cell's too: read only. */
export function toCell({ text, width, style }: Cell): ScreenCell {
  if (text.length !== 1 || text > '~') return makeCell(text, width === 2, style);
  const known = asciiCells.get(style) ?? new Map<string, ScreenCell>();
  asciiCells.set(style, known);
  const cell = known.get(text) ?? makeCell(text, false, style);
  known.set(text, cell);
  return cell;
}

const makeCell = (char: string, wide: boolean, style: Style): ScreenCell =>
  create(ScreenCellSchema, { char, wide, ...toLook(style) });

const toLook = (style: Style): Look => ({
  fgColor: rgbOf(style.fg, defaultForeground),
  bgColor: rgbOf(style.bg, defaultBackground),
  attributes: attributesOf(style),
  ...colorField('fg', style.fg),
  ...colorField('bg', style.bg),
  ...colorField('underlineColor', style.underlineColor),
  underlineStyle: underlineStyles.toWire(style.underline),
  link: style.link ?? '',
});

/** Cells of a row or a line. Most look as the one before, and are given its style. */
export function fromCells(cells: readonly ScreenCell[]): Cell[] {
  let last: ScreenCell | undefined;
  let style: Style | undefined;
  return cells.map((cell) => {
    if (style === undefined || last === undefined || !looksLike(last, cell)) style = fromLook(cell);
    last = cell;
    return { text: cell.char, width: widthOf(cell), style };
  });
}

const widthOf = ({ char, wide }: ScreenCell): Cell['width'] => (char === '' ? 0 : wide ? 2 : 1);

function looksLike(a: ScreenCell, b: ScreenCell): boolean {
  return (
    a.attributes === b.attributes &&
    a.underlineStyle === b.underlineStyle &&
    a.link === b.link &&
    isSameColor(a.fg, b.fg) &&
    isSameColor(a.bg, b.bg) &&
    isSameColor(a.underlineColor, b.underlineColor)
  );
}

const isSameColor = (a: CellColor | undefined, b: CellColor | undefined): boolean =>
  a?.color.case === b?.color.case && a?.color.value === b?.color.value;

function fromLook(cell: ScreenCell): Style {
  const flags = attributeBits.map(([name, bit]) => [name, (cell.attributes & bit) !== 0]);
  return {
    ...(Object.fromEntries(flags) as Record<Flag, boolean>),
    fg: fromColor(cell.fg),
    bg: fromColor(cell.bg),
    underlineColor: fromColor(cell.underlineColor),
    underline: underlineStyles.fromWire(cell.underlineStyle) ?? 'none',
    link: cell.link || null,
  };
}

function attributesOf(style: Style): number {
  let bits = style.underline === 'none' ? 0 : underlineBit;
  for (const [name, bit] of attributeBits) if (style[name]) bits |= bit;
  return bits;
}

function rgbOf(color: Color, defaultRgb: number): number {
  if (color === null) return defaultRgb;
  return typeof color === 'number' ? paletteColor(color) : Number.parseInt(color.slice(1), 16);
}

function colorField<Name extends string>(
  name: Name,
  color: Color,
): { [Field in Name]?: CellColor } {
  if (color === null) return {};
  const value =
    typeof color === 'number'
      ? ({ case: 'palette', value: color } as const)
      : ({ case: 'rgb', value: Number.parseInt(color.slice(1), 16) } as const);
  const message = create(CellColorSchema, { color: value });
  return { [name]: message } as { [Field in Name]?: CellColor };
}

function fromColor(message: CellColor | undefined): Color {
  const color = message?.color;
  if (color?.value === undefined) return null;
  if (color.case === 'palette') return color.value;
  return `#${color.value.toString(16).padStart(6, '0')}`;
}
