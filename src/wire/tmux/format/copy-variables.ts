import type { CopyMode } from '../modes/copy-mode.ts';

/** Variables of a pane in copy mode. */
export const ofCopyMode: Readonly<
  Record<string, (copy: CopyMode) => string | number | boolean | null | undefined>
> = {
  scroll_position: ({ offset }) => offset,
  rectangle_toggle: ({ isRectangle }) => isRectangle,
  copy_cursor_x: ({ x }) => x,
  copy_cursor_y: ({ y }) => y,
  copy_cursor_line: ({ grid, place }) => grid.text(place.y),
  copy_cursor_word: wordAtCursor,
  selection_present: ({ selection }) => selection !== null,
  selection_active: ({ selection }) => selection !== null && selection.moves !== null,
  selection_start_x: ({ selection }) => selection?.start.x,
  selection_start_y: ({ selection }) => selection?.start.y,
  selection_end_x: ({ selection }) => selection?.end.x,
  selection_end_y: ({ selection }) => selection?.end.y,
  search_present: ({ shown }) => shown !== null,
  search_match: ({ shown }) => shown,
};

const separators = '!"#$%&\'()*+,-./:;<=>?@[\\]^`{|}~';

/** The word at the cursor, or the next one after a separator; empty at a blank. */
function wordAtCursor({ grid, place: { x, y } }: CopyMode): string {
  const ends = (at: number) => grid.isBlank({ x: at, y }) || grid.isIn({ x: at, y }, separators);
  if (x >= grid.lengthOf(y) || grid.isBlank({ x, y })) return '';
  let from = x;
  if (ends(x)) from++;
  else while (from > 0 && !ends(from - 1)) from--;
  let to = from;
  while (to < grid.lengthOf(y) && !ends(to)) to++;
  return grid.text(y, from, to);
}
