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

/** An immutable copy of a session's screen. */
export interface ScreenSnapshot {
  readonly revision: number;
  readonly size: Size;
  readonly cursor: Cursor;
  readonly alternate: boolean;
  readonly title: string;
  /** The rows as text, trailing blanks cut; one string a row. */
  readonly text: readonly string[];
  /** Line number of the topmost row of the primary screen. */
  readonly topLine: number;
}
