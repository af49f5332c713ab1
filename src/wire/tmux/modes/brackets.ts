import type { CopyGrid } from './copy-grid.ts';
import type { CopyMode } from './copy-mode.ts';
import type { Place } from './place.ts';

const opening = '{[(';
const closing = '}])';

/**
 * Goes to the bracket that belongs to the one at the cursor, or next to it. Without one, with `mode-keys emacs` it
 * goes on to the next word or back to the last one; with vi, to the next opening bracket of the line.
 */
export function otherBracket(mode: CopyMode, by: 1 | -1): void {
  const { grid, place, options } = mode;
  if (grid.lengthOf(place.y) === 0) return;
  const own = by === 1 ? opening : closing;
  const isOwn = (at: Place) => own.includes(grid.cellAt(at) || ' ');
  if (by === 1 && options.isVi) {
    nextOfVi(mode);
    return;
  }
  const beside = { x: place.x + by, y: place.y };
  const hasBeside = by === 1 ? place.x <= grid.lengthOf(place.y) : place.x > 0;
  const from = isOwn(place) ? place : hasBeside && !options.isVi && isOwn(beside) ? beside : null;
  if (from !== null) {
    const found = partner(grid, from, by);
    if (found !== null) mode.jumpTo(found);
  } else if (!options.isVi) {
    mode.goTo(by === 1 ? mode.wordEnd(opening) : grid.previousWord(place, closing, true));
  }
}

/** The bracket that belongs to the next one of the line; a closing one leads back. */
function nextOfVi(mode: CopyMode): void {
  const { grid } = mode;
  const { y: last } = grid.endOfLine(mode.place, false);
  let { x, y } = mode.place;
  for (;;) {
    const cell = grid.cellAt({ x, y }) || ' ';
    const by = closing.includes(cell) ? -1 : opening.includes(cell) ? 1 : 0;
    if (by !== 0) {
      const found = partner(grid, { x, y }, by);
      if (found !== null) mode.jumpTo(found);
      return;
    }
    if (x <= grid.lengthOf(y)) x++;
    else if (y === last) return;
    else [x, y] = [0, y + 1];
  }
}

/** The bracket that belongs to one; null if there is none. */
function partner(grid: CopyGrid, from: Place, by: 1 | -1): Place | null {
  const own = grid.cellAt(from);
  const [ownSet, otherSet] = by === 1 ? [opening, closing] : [closing, opening];
  const wanted = otherSet[ownSet.indexOf(own)] ?? '';
  let { x, y } = from;
  for (let depth = 1; depth > 0; ) {
    x += by;
    while (by === 1 ? x > grid.lengthOf(y) : x < 0) {
      y += by;
      if (y < 0 || y > grid.last) return null;
      x = by === 1 ? 0 : grid.lengthOf(y) - 1;
    }
    const cell = grid.cellAt({ x, y });
    if (cell === own) depth++;
    else if (cell === wanted) depth--;
  }
  return { x, y };
}
