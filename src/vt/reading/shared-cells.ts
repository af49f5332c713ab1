import type { Cell, Style } from '#model';

/** The text of cells with an ASCII character, by code; cells with lower codes look empty. */
const asciiTexts = Array.from({ length: 0x80 }, (_, code) =>
  String.fromCharCode(Math.max(code, 0x20)),
);

/** Number of styles whose cells are cached, for all terminals; a power of two. */
const slotCount = 64;

/** The cells of one style; undefined if not requested yet. */
type AsciiCells = (Cell | undefined)[];

interface Slot {
  style: Style | null;
  cells: AsciiCells;
  /** The last other style that was requested from this slot. */
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
 * Returns the cached cells of ASCII characters in a style, shared by all readers. Creating them
 * would take longer than the rest of reading a screen.
 *
 * @param word of the style, see `style-word.ts`
 * @returns null if the style is not used often enough to be cached
 */
export function sharedCells(word: number, style: Style): AsciiCells | null {
  const slot = slots[(Math.imul(word, 0x9e3779b1) >>> 16) & (slotCount - 1)];
  if (slot.style === style) return slot.cells;
  // A style is cached when it is requested twice in a row. If styles alternate, as in a picture,
  // caching does not pay.
  if (slot.candidate !== style) {
    slot.candidate = style;
    return null;
  }
  slot.style = style;
  slot.candidate = null;
  slot.cells = new Array<undefined>(asciiTexts.length).fill(undefined);
  return slot.cells;
}

/** Creates the cell of an ASCII character. */
export function asciiCell(code: number, style: Style): Cell {
  return { text: asciiTexts[code], width: 1, style };
}

/** The same, frozen, to be shared by readers. */
export function sharedCell(code: number, style: Style): Cell {
  return Object.freeze(asciiCell(code, style));
}
