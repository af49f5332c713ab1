import { create } from '@bufbuild/protobuf';
import {
  type CursorLook,
  type GetScreenResponse,
  GetScreenResponseSchema,
  type ReadLinesResponse,
  ReadLinesResponseSchema,
  type ScreenRow,
  ScreenRowSchema,
} from '#messages';
import { type Cell, type Cursor, checkLine, type LinesRead, type ScreenSnapshot } from '#model';
import { field, numberField, protocolError, wholeField } from '../field.ts';
import { timeField, timeMsField } from '../time.ts';
import { enumOf, wordOf } from '../words.ts';
import { fromCells, toCell } from './cell.ts';

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
  ...{ row, col },
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
