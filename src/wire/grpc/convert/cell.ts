import { create } from '@bufbuild/protobuf';
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

export function toCell({ text, width, style }: Cell): ScreenCell {
  return create(ScreenCellSchema, {
    char: text,
    fgColor: rgbOf(style.fg, defaultForeground),
    bgColor: rgbOf(style.bg, defaultBackground),
    attributes: attributesOf(style),
    ...colorField('fg', style.fg),
    ...colorField('bg', style.bg),
    ...colorField('underlineColor', style.underlineColor),
    underlineStyle: underlineStyles.toWire(style.underline),
    wide: width === 2,
  });
}

export function fromCell(cell: ScreenCell): Cell {
  const flags = attributeBits.map(([name, bit]) => [name, (cell.attributes & bit) !== 0]);
  return {
    text: cell.char,
    width: cell.char === '' ? 0 : cell.wide ? 2 : 1,
    style: {
      ...(Object.fromEntries(flags) as Record<Flag, boolean>),
      fg: fromColor(cell.fg),
      bg: fromColor(cell.bg),
      underlineColor: fromColor(cell.underlineColor),
      underline: underlineStyles.fromWire(cell.underlineStyle) ?? 'none',
    },
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
