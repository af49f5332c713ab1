import type { Cell, Style } from '#model';

/** The text of cells with an ASCII character, by code; an empty cell's is 0. */
const asciiTexts = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code || 0x20));

/** Styles whose cells are kept, of all terminals together; a power of two. */
const slotCount = 64;

/** The cells of one style; what has not been asked for yet is undefined. */
type AsciiCells = (Cell | undefined)[];

interface Slot {
  style: Style | null;
  cells: AsciiCells;
  /** Another style that would have liked this place. */
  candidate: Style | null;
}

const slots = Array.from(
  { length: slotCount },
  (): Slot => ({
    style: null,
    cells: [],
    candidate: null,
  }),
);

/**
 * Cells of ASCII characters, made once for everybody who reads: to make them anew takes longer than
 * all else that a read of a screen does.
 *
 * @param word of the style, see `style-word.ts`
 * @returns null for a style that is not seen often enough to be kept
 */
export function sharedCells(word: number, style: Style): AsciiCells | null {
  const slot = slots[(Math.imul(word, 0x9e3779b1) >>> 16) & (slotCount - 1)];
  if (slot.style === style) return slot.cells;
  // Where one style comes after the other, as in a picture, none is worth it.
  if (slot.candidate !== style) {
    slot.candidate = style;
    return null;
  }
  slot.style = style;
  slot.candidate = null;
  slot.cells = new Array<undefined>(asciiTexts.length).fill(undefined);
  return slot.cells;
}

/** The cell of an ASCII character. */
export function asciiCell(code: number, style: Style): Cell {
  return { text: asciiTexts[code], width: 1, style };
}

/** The same, for many to read. */
export function sharedCell(code: number, style: Style): Cell {
  return Object.freeze(asciiCell(code, style));
}
