import type { Style } from './screen.ts';

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
