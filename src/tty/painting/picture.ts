import type { Cell, Cursor, Size } from '#model';

/** What a person's terminal is to show. */
export interface Picture {
  readonly size: Size;
  /**
   * One array per row of the size, with one cell per column. Rows that are the same object as in the
   * picture before are equal: painting skips them.
   */
  readonly rows: readonly (readonly Cell[])[];
  readonly cursor: Cursor;
  /** The title of the window; null leaves it. Without control characters. */
  readonly title: string | null;
  /** DECSCNM */
  readonly reverseVideo: boolean;
}
