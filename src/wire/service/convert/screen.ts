import { create } from '@bufbuild/protobuf';
import type { Cell, Cursor, LinesRead, ScreenSnapshot, SearchMatch, SearchResult } from '#model';
import {
  type GetScreenResponse,
  GetScreenResponseSchema,
  type GrepResponse,
  GrepResponseSchema,
  type ReadLinesResponse,
  ReadLinesResponseSchema,
  type ScreenRow,
  ScreenRowSchema,
} from '../gen/vtr.gen.ts';
import { fromCells, toCell } from './cell.ts';
import { cursorShapes } from './words.ts';

export function toScreen(name: string, screen: ScreenSnapshot): GetScreenResponse {
  const { size, cursor, title, alternate, cells } = screen;
  const { row, col, shape, ...look } = cursor;
  return create(GetScreenResponseSchema, {
    name,
    ...size,
    cursorX: col,
    cursorY: row,
    screenRows: cells?.map(toRow) ?? [],
    revision: BigInt(screen.revision),
    text: cells === undefined ? [...screen.text] : [],
    title,
    alternate,
    topLine: BigInt(screen.topLine),
    cursor: { ...look, shape: cursorShapes.toWire(shape) },
  });
}

const toRow = (cells: readonly Cell[]): ScreenRow =>
  create(ScreenRowSchema, { cells: cells.map(toCell) });

export function fromScreen(message: GetScreenResponse): ScreenSnapshot {
  const { cols, rows, title, alternate, text, screenRows } = message;
  const shared = {
    revision: Number(message.revision),
    size: { cols, rows },
    cursor: fromCursor(message),
    alternate,
    title,
    topLine: Number(message.topLine),
  };
  if (screenRows.length === 0) return { ...shared, text };
  const cells = screenRows.map((row) => fromCells(row.cells));
  return { ...shared, text: cells.map(() => ''), cells };
}

function fromCursor({ cursorX, cursorY, cursor }: GetScreenResponse): Cursor {
  return {
    row: cursorY,
    col: cursorX,
    wrapPending: cursor?.wrapPending ?? false,
    visible: cursor?.visible ?? true,
    shape: cursorShapes.fromWire(cursor?.shape ?? 0) ?? 'block',
    blinking: cursor?.blinking ?? false,
  };
}

export function toLines(read: LinesRead): ReadLinesResponse {
  return create(ReadLinesResponseSchema, {
    revision: BigInt(read.revision),
    firstLine: BigInt(read.firstLine),
    topLine: BigInt(read.topLine),
    endLine: BigInt(read.endLine),
    dropped: BigInt(read.dropped),
    lines: read.lines.map(({ number, text, cells }) => ({
      number: BigInt(number),
      text,
      cells: cells?.map(toCell) ?? [],
    })),
  });
}

/** @param withCells whether cells were asked for: of an empty line there are none */
export function fromLines(message: ReadLinesResponse, withCells: boolean): LinesRead {
  return {
    revision: Number(message.revision),
    firstLine: Number(message.firstLine),
    topLine: Number(message.topLine),
    endLine: Number(message.endLine),
    dropped: Number(message.dropped),
    lines: message.lines.map(({ number, text, cells }) => ({
      number: Number(number),
      text,
      ...(withCells ? { cells: fromCells(cells) } : {}),
    })),
  };
}

export function toSearchResult(result: SearchResult): GrepResponse {
  const { firstLine, truncated } = result;
  return create(GrepResponseSchema, {
    truncated,
    revision: BigInt(result.revision),
    firstLine: BigInt(firstLine),
    matches: result.matches.map(({ line, text, start, end, before, after }) => ({
      lineNumber: line - firstLine,
      line: text,
      contextBefore: [...before],
      contextAfter: [...after],
      lineId: BigInt(line),
      start,
      end,
    })),
  });
}

export function fromSearchResult(message: GrepResponse): SearchResult {
  return {
    revision: Number(message.revision),
    firstLine: Number(message.firstLine),
    truncated: message.truncated,
    matches: message.matches.map(
      ({ lineId, line, start, end, contextBefore, contextAfter }): SearchMatch => ({
        line: Number(lineId),
        text: line,
        start,
        end,
        before: contextBefore,
        after: contextAfter,
      }),
    ),
  };
}
