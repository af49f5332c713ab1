import type { Style } from './cell.ts';
import type { Cursor } from './screen.ts';
import type { Size } from './size.ts';
import type { ViewModes } from './view-modes.ts';

/** Neighbouring cells of one style. */
export interface Run {
  /** The graphemes of the cells; blanks are spaces. */
  readonly text: string;
  /** The columns it takes. */
  readonly cols: number;
  /** True if `text` is one grapheme of several code points; else each code point is a cell. */
  readonly cluster?: true;
  readonly style: Style;
}

/** The rows of a screen that changed, for a viewer: the newest state, never a backlog. */
export interface RowFrame {
  readonly revision: number;
  readonly size: Size;
  /** Whether all rows are included; else those that changed since the frame before. */
  readonly full: boolean;
  /** Trailing blanks without a background are left out. */
  readonly rows: readonly { readonly row: number; readonly runs: readonly Run[] }[];
  readonly cursor: Cursor;
  readonly alternate: boolean;
  readonly title: string;
  readonly modes: ViewModes;
}
