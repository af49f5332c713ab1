import * as attribute from './attributes.ts';

/** What a value of SGR does to attributes. */
export interface SgrValue {
  readonly value: number;
  readonly meaning: string;
  /** The bits that it sets. */
  readonly on: number;
  /** The bits that it clears first. */
  readonly off: number;
}

const sets = (value: number, meaning: string, on: number): SgrValue => ({
  value,
  meaning,
  on,
  off: 0,
});
const clears = (value: number, meaning: string, off: number): SgrValue => ({
  value,
  meaning,
  on: 0,
  off,
});
const underlines = (value: number, meaning: string, style: number): SgrValue => ({
  value,
  meaning,
  on: attribute.withUnderline(0, style),
  off: attribute.underlineMask,
});

/** The values that change attributes, apart from 0. What one sets alone is written with that value. */
// biome-ignore format: one line per value
export const sgrAttributes: readonly SgrValue[] = [
  sets(1, 'Bold', attribute.bold),
  sets(2, 'Dim', attribute.dim),
  sets(3, 'Italic', attribute.italic),
  underlines(4, 'Underlined; `4:0` to `4:5` select no line, a single, double, curly, dotted or dashed one', 1),
  sets(5, 'Blinking', attribute.blink),
  sets(6, 'As 5', attribute.blink),
  sets(7, 'Inverse', attribute.inverse),
  sets(8, 'Hidden', attribute.hidden),
  sets(9, 'Struck through', attribute.strikethrough),
  underlines(21, 'Double underline', 2),
  clears(22, 'Neither bold nor dim', attribute.bold | attribute.dim),
  clears(23, 'Not italic', attribute.italic),
  clears(24, 'Not underlined', attribute.underlineMask),
  clears(25, 'Not blinking', attribute.blink),
  clears(27, 'Not inverse', attribute.inverse),
  clears(28, 'Not hidden', attribute.hidden),
  clears(29, 'Not struck through', attribute.strikethrough),
  sets(53, 'Overlined', attribute.overline),
  clears(55, 'Not overlined', attribute.overline),
];

/** The other values, for docs/sequences.md. */
export const otherSgrValues = [
  { value: 0, meaning: 'Default colours and attributes' },
  { value: '30 to 37', meaning: 'Foreground: one of the first 8 colours of the palette' },
  {
    value: 38,
    meaning: 'Foreground: `38;5;n`, `38:5:n`, `38;2;r;g;b`, `38:2:r:g:b` or `38:2::r:g:b`',
  },
  { value: 39, meaning: 'Default foreground' },
  { value: '40 to 47', meaning: 'Background: one of the first 8 colours of the palette' },
  { value: 48, meaning: 'Background, in the forms of 38' },
  { value: 49, meaning: 'Default background' },
  { value: 58, meaning: 'Colour of the underline, in the forms of 38' },
  { value: 59, meaning: 'Default colour of the underline' },
  { value: '90 to 97', meaning: 'Foreground: one of the next 8 colours of the palette' },
  { value: '100 to 107', meaning: 'Background: one of the next 8 colours of the palette' },
];
