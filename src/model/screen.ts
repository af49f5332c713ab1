import { quoted } from '#base';
import type { Cell, Size } from './cell.ts';
import { VtrError } from './errors.ts';
import type { Redacted, RedactRequest } from './read.ts';
import type { TimeRef } from './time-ref.ts';

/** The renderings of rows and lines: text, text with SGR sequences, or cells. */
export const renderFormats = ['text', 'ansi', 'cells'] as const;

export type RenderFormat = (typeof renderFormats)[number];

/** Checks a format at run time, for callers without types. @throws VtrError INVALID_ARGUMENT */
export function checkRenderFormat(format: RenderFormat): RenderFormat {
  if (renderFormats.includes(format)) return format;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `format is ${quoted(format)}; use one of ${renderFormats.join(', ')}`,
  );
}

export type CursorShape = 'block' | 'underline' | 'bar';

export interface Cursor {
  /** 0-based. */
  readonly row: number;
  /** 0-based. Less than the number of columns, even while a wrap is pending. */
  readonly col: number;
  /** The last column is filled: the next character wraps to the next row. */
  readonly wrapPending: boolean;
  readonly visible: boolean;
  readonly shape: CursorShape;
  readonly blinking: boolean;
}

export interface ScreenRequest extends RedactRequest {
  /** Shows the screen as it was then. Default: as it is. */
  readonly at?: TimeRef;
  /** Default: `text`. */
  readonly format?: RenderFormat;
}

/** An immutable copy of a session's screen. */
export interface ScreenSnapshot extends Redacted {
  readonly revision: number;
  readonly size: Size;
  readonly cursor: Cursor;
  /** Whether the alternate screen is shown. */
  readonly alternate: boolean;
  readonly title: string;
  /**
   * One string per row, without trailing blanks; with SGR sequences for the format `ansi`. Empty
   * strings for `cells`.
   */
  readonly text: readonly string[];
  /** One array per row with one cell per column. Set for the format `cells` only. */
  readonly cells?: readonly (readonly Cell[])[];
  /** The line number of the topmost row of the primary screen. */
  readonly topLine: number;
  /** When this state came about, in ms since 1970. Set if a time was requested. */
  readonly atMs?: number;
}

export interface ReadLinesRequest extends RedactRequest {
  /** Returns the lines as they were then, from the beginning of the recording on. Default: as they are. */
  readonly at?: TimeRef;
  /**
   * The first line to read. Default: the oldest in the scrollback. Older lines can be read as far as they are
   * archived.
   */
  readonly from?: number;
  /** The line to stop before. Default: the end. */
  readonly to?: number;
  /**
   * Stops at the top of the primary screen if `to` is not above that: of the line of its topmost row, the part
   * above it is returned, too. Default: false.
   */
  readonly aboveScreen?: boolean;
  /** Default: `text`. */
  readonly format?: RenderFormat;
}

/** The text between two line ends, however many rows it wraps to. */
export interface Line {
  /** The line number, counted from the first line of the session. Never reused. */
  readonly number: number;
  /** Text, with SGR sequences for the format `ansi`; empty for `cells`. */
  readonly text: string;
  /** Set for the format `cells` only. */
  readonly cells?: readonly Cell[];
}

export interface LinesRead extends Redacted {
  readonly revision: number;
  /** The oldest line in the scrollback. */
  readonly firstLine: number;
  /** The oldest line that can be read, also of those that have left the scrollback. */
  readonly oldestLine: number;
  /** The line of the topmost row of the primary screen. Earlier lines are scrollback. */
  readonly topLine: number;
  /** One past the last line. */
  readonly endLine: number;
  /** The number of requested lines that are no longer kept. */
  readonly dropped: number;
  readonly lines: readonly Line[];
  /** When this state came about, in ms since 1970. Set if a time was requested. */
  readonly atMs?: number;
}

/** The scrollback limit of one session. */
export const maxScrollbackLines = 1_000_000;
export const defaultScrollbackLines = 10_000;

/** @throws VtrError INVALID_ARGUMENT */
export function checkScrollbackLines(lines: number): number {
  if (Number.isInteger(lines) && lines >= 0 && lines <= maxScrollbackLines) return lines;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `scrollbackLines is ${lines}; give a whole number from 0 to ${maxScrollbackLines}`,
  );
}

const minWaitingBytes = 64 * 1024;
/** What waits for a subscriber unless it chose less. */
export const maxWaitingBytes = 8 * 1024 * 1024;

/** @throws VtrError INVALID_ARGUMENT */
export function checkWaitingBytes(bytes: number): number {
  if (Number.isInteger(bytes) && bytes >= minWaitingBytes && bytes <= maxWaitingBytes) return bytes;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `maxWaitingBytes is ${bytes}; give a whole number from ${minWaitingBytes} to ${maxWaitingBytes}`,
  );
}

/** The bounds of the raw output kept by one session. */
export const minRawBytes = 4096;
export const maxRawBytes = 64 * 1024 * 1024;

/** @throws VtrError INVALID_ARGUMENT */
export function checkRawBytes(bytes: number): number {
  if (Number.isInteger(bytes) && bytes >= minRawBytes && bytes <= maxRawBytes) return bytes;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `rawBytes is ${bytes}; give a whole number from ${minRawBytes} to ${maxRawBytes}`,
  );
}

/** @throws VtrError INVALID_ARGUMENT if the line is not a whole number of at least 0 */
export function checkLine(name: string, line: number): number {
  if (Number.isSafeInteger(line) && line >= 0) return line;
  throw new VtrError('INVALID_ARGUMENT', `${name} is ${line}; line numbers are 0, 1, 2 and so on`);
}
