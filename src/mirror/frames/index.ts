// A copy of a session's screen that is kept by frames, without the terminal engine.
import { applyFrame, type Cell, type RowFrame } from '#model';

/** What changes the rows of a screen; it may tell more, of which the newest counts. */
type Frame = Pick<RowFrame, 'full' | 'size' | 'rows'>;

/** A session's screen, kept by frames. */
export type ScreenOf<F extends Frame> = Omit<F, 'full' | 'rows'> & {
  /** Rows that have not changed since the frame before are the same arrays. */
  readonly rows: readonly (readonly Cell[])[];
};

export type FramedScreen = ScreenOf<RowFrame>;

/**
 * Returns a session's screen after a frame; null if the frame needs one before it.
 *
 * @param before null if no frame of the session has been received
 */
export function screenAfter<F extends Frame>(
  before: { readonly rows: readonly (readonly Cell[])[] } | null,
  frame: F,
): ScreenOf<F> | null {
  if (before === null && !frame.full) return null;
  const { full: _, rows: _rows, ...shown } = frame;
  return { ...shown, rows: applyFrame(before?.rows ?? [], frame) };
}
