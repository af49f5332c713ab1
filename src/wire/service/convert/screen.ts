import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type CellColor,
  CellColorSchema,
  type CursorLook,
  type GetScreenResponse,
  GetScreenResponseSchema,
  type ReadLinesResponse,
  ReadLinesResponseSchema,
  type ScreenCell,
  ScreenCellSchema,
  type ScreenRow,
  ScreenRowSchema,
} from '#messages';
import {
  attributesOf,
  backgroundRgb,
  type Cell,
  type Color,
  type Cursor,
  checkLine,
  flagsOf,
  foregroundRgb,
  type LinesRead,
  type ScreenSnapshot,
  type Style,
} from '#model';
import {
  enumOf,
  field,
  numberField,
  protocolError,
  timeField,
  timeMsField,
  wholeField,
  wordOf,
} from './field.ts';

/** Line numbers: the first, and the one to stop before. */
interface LineRange {
  readonly from?: number;
  readonly to?: number;
}

/** @throws VtrError INVALID_ARGUMENT for a number that is not a line number */
export const toRange = ({ from, to }: LineRange) => ({
  ...wholeField('from', from === undefined ? from : checkLine('from', from)),
  ...wholeField('to', to === undefined ? to : checkLine('to', to)),
});

export const fromRange = ({
  from,
  to,
}: {
  readonly from?: bigint | undefined;
  readonly to?: bigint | undefined;
}): LineRange => ({ ...numberField('from', from), ...numberField('to', to) });

export function toScreen(name: string, screen: ScreenSnapshot): GetScreenResponse {
  const { size, cursor, title, alternate, cells } = screen;
  return create(GetScreenResponseSchema, {
    name,
    ...size,
    cursorX: cursor.col,
    cursorY: cursor.row,
    screenRows: cells?.map(toRow) ?? [],
    revision: BigInt(screen.revision),
    text: cells === undefined ? [...screen.text] : [],
    title,
    alternate,
    topLine: BigInt(screen.topLine),
    cursor: toCursorLook(cursor),
    ...timeField('at', screen.atMs),
    ...field('redacted', screen.redacted),
  });
}

export const toCursorLook = ({ row: _row, col: _col, shape, ...look }: Cursor) => ({
  ...look,
  shape: enumOf('CursorShape', shape),
});

const toRow = (cells: readonly Cell[]): ScreenRow =>
  create(ScreenRowSchema, { cells: cells.map(toCell) });

/** @throws VtrError UNAVAILABLE if it has no cells */
export function fromScreen(message: GetScreenResponse): ScreenSnapshot {
  const { cols, rows, title, alternate, text, screenRows } = message;
  if (cols < 1 || rows < 1) throw protocolError('the coordinator sent a screen without cells');
  const shared = {
    revision: Number(message.revision),
    size: { cols, rows },
    cursor: fromCursor(message.cursorY, message.cursorX, message.cursor),
    alternate,
    title,
    topLine: Number(message.topLine),
    ...timeMsField('atMs', message.at),
    ...field('redacted', message.redacted),
  };
  if (screenRows.length === 0) return { ...shared, text };
  const cells = screenRows.map((row) => fromCells(row.cells));
  return { ...shared, text: cells.map(() => ''), cells };
}

export const fromCursor = (row: number, col: number, look: CursorLook | undefined): Cursor => ({
  row,
  col,
  wrapPending: look?.wrapPending ?? false,
  visible: look?.visible ?? true,
  shape: wordOf('CursorShape', look?.shape ?? 0) ?? 'block',
  blinking: look?.blinking ?? false,
});

export function toLines(read: LinesRead): ReadLinesResponse {
  return create(ReadLinesResponseSchema, {
    revision: BigInt(read.revision),
    firstLine: BigInt(read.firstLine),
    topLine: BigInt(read.topLine),
    endLine: BigInt(read.endLine),
    oldestLine: BigInt(read.oldestLine),
    dropped: BigInt(read.dropped),
    lines: read.lines.map(({ number, text, cells }) => ({
      number: BigInt(number),
      text,
      cells: cells?.map(toCell) ?? [],
    })),
    ...timeField('at', read.atMs),
    ...field('redacted', read.redacted),
  });
}

/** @param withCells whether cells were requested: the message of an empty line cannot tell */
export function fromLines(message: ReadLinesResponse, withCells: boolean): LinesRead {
  return {
    revision: Number(message.revision),
    firstLine: Number(message.firstLine),
    topLine: Number(message.topLine),
    endLine: Number(message.endLine),
    oldestLine: Number(message.oldestLine ?? message.firstLine),
    dropped: Number(message.dropped),
    lines: message.lines.map(({ number, text, cells }) => ({
      number: Number(number),
      text,
      ...(withCells ? { cells: fromCells(cells) } : {}),
    })),
    ...timeMsField('atMs', message.at),
    ...field('redacted', message.redacted),
  };
}

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
  const cells = asciiCells.get(style) ?? new Map<string, ScreenCell>();
  asciiCells.set(style, cells);
  const cell = cells.get(text) ?? makeCell(text, false, style);
  cells.set(text, cell);
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
function fromCells(cells: readonly ScreenCell[]): Cell[] {
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
