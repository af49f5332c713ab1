import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type CellColor, CellColorSchema, type ScreenCell, ScreenCellSchema } from '#messages';
import {
  attributesOf,
  backgroundRgb,
  type Cell,
  type Color,
  flagsOf,
  foregroundRgb,
  type Style,
} from '#model';
import { enumOf, wordOf } from '../words.ts';

/** The fields of a cell or a frame that express a style. */
type StyleFields = Pick<
  ScreenCell,
  'attributes' | 'fg' | 'bg' | 'underlineColor' | 'underlineStyle' | 'link'
>;

/** The fields of a cell that express its style. */
type Look = Omit<MessageInitShape<typeof ScreenCellSchema>, '$typeName' | 'char' | 'wide'>;

/**
 * Messages of cells with one ASCII character, by style and text. They are most of a screen, and cells
 * of one style share its object, so a screen of 2000 cells needs a few dozen messages.
 */
const asciiCells = new WeakMap<Style, Map<string, ScreenCell>>();

/** Returns a message that other cells may share: read-only. */
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
  fgColor: foregroundRgb(style.fg),
  bgColor: backgroundRgb(style.bg),
  ...toStyle(style),
});

/** The fields that a cell and a frame share. */
export const toStyle = (style: Style) => ({
  attributes: attributesOf(style),
  ...colorField('fg', style.fg),
  ...colorField('bg', style.bg),
  ...colorField('underlineColor', style.underlineColor),
  underlineStyle: enumOf(
    'UnderlineStyle',
    style.underline === 'none' ? undefined : style.underline,
  ),
  link: style.link ?? '',
});

/** Converts the cells of a row or a line. Equal neighbours share one style object. */
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

export function fromLook(cell: StyleFields): Style {
  return {
    ...flagsOf(cell.attributes),
    fg: fromColor(cell.fg),
    bg: fromColor(cell.bg),
    underlineColor: fromColor(cell.underlineColor),
    underline: wordOf('UnderlineStyle', cell.underlineStyle) ?? 'none',
    link: cell.link || null,
  };
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
