import type { Size } from '../calls/size.ts';
import { VtrError } from '../errors.ts';
import type { Cell } from './cell.ts';
import type { Redacted, RedactRequest } from './redaction.ts';
import type { TimeRef } from './time-ref.ts';

/** The renderings of rows and lines: text, text with SGR sequences, or cells. */
export const renderFormats = ['text', 'ansi', 'cells'] as const;

export type RenderFormat = (typeof renderFormats)[number];

/** Checks a format at run time, for callers without types. @throws VtrError INVALID_ARGUMENT */
export function checkRenderFormat(format: RenderFormat): RenderFormat {
  if (renderFormats.includes(format)) return format;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `format is ${JSON.stringify(format)}; use one of ${renderFormats.join(', ')}`,
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
