import type { Cell } from './cell.ts';
import { VtrError } from './errors.ts';
import type { Size } from './size.ts';

/** How rows and lines are told: as text, as text with SGR sequences, or cell by cell. */
export const renderFormats = ['text', 'ansi', 'cells'] as const;

export type RenderFormat = (typeof renderFormats)[number];

/** @throws VtrError INVALID_ARGUMENT for what came from a caller's program and is none of them. */
export function checkRenderFormat(format: RenderFormat): RenderFormat {
  if (renderFormats.includes(format)) return format;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `format ${JSON.stringify(format)} is none of ${renderFormats.join(', ')}`,
  );
}

export type CursorShape = 'block' | 'underline' | 'bar';

export interface Cursor {
  /** 0-based. */
  readonly row: number;
  /** 0-based, below the number of columns also while a wrap is pending. */
  readonly col: number;
  /** The next character will go to the next row (the last column is filled). */
  readonly wrapPending: boolean;
  readonly visible: boolean;
  readonly shape: CursorShape;
  readonly blinking: boolean;
}

export interface ScreenRequest {
  /** `text` when absent. */
  readonly format?: RenderFormat;
}

/** An immutable copy of a session's screen. */
export interface ScreenSnapshot {
  readonly revision: number;
  readonly size: Size;
  readonly cursor: Cursor;
  readonly alternate: boolean;
  readonly title: string;
  /**
   * One string a row, trailing blanks cut: text, or text with SGR sequences, by the format that was
   * asked for; empty strings for `cells`.
   */
  readonly text: readonly string[];
  /** One array a row, one cell a column; given for the format `cells` only. */
  readonly cells?: readonly (readonly Cell[])[];
  /** Line number of the topmost row of the primary screen. */
  readonly topLine: number;
}
