import { VtrError } from './errors.ts';
import type { Size } from './size.ts';

/** Null is the default colour, a number an entry of the palette (0..255), a string true colour. */
export type Color = null | number | `#${string}`;

export type UnderlineStyle = 'none' | 'single' | 'double' | 'curly' | 'dotted' | 'dashed';

/** How a cell looks (SGR), and where it leads. */
export interface Style {
  readonly fg: Color;
  readonly bg: Color;
  readonly underlineColor: Color;
  readonly underline: UnderlineStyle;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly blink: boolean;
  readonly inverse: boolean;
  readonly hidden: boolean;
  readonly strikethrough: boolean;
  readonly overline: boolean;
  /** The URI of the hyperlink that the cell is part of (OSC 8). Output chose it. */
  readonly link: string | null;
}

/** One column of a row. A wide character is a cell of width 2 and, after it, one of width 0. */
export interface Cell {
  /** The grapheme; a blank cell is a space, the second half of a wide character is empty. */
  readonly text: string;
  readonly width: 0 | 1 | 2;
  readonly style: Style;
}

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
