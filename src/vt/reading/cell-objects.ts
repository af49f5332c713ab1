import type { Cell, Style } from '#model';
import { spacerTail } from '../cells/cell.ts';
import { cellText } from '../cells/cell-text.ts';
import type { ClusterTable } from '../cells/cluster-table.ts';
import type { StyleTable } from '../style/style-table.ts';
import { defaultStyle } from '../style/style-word.ts';

/** Returns the cells from `start` up to but excluding `end` as objects of the model. */
export function cellObjects(
  codes: Int32Array,
  cellStyles: Int32Array,
  start: number,
  end: number,
  styles: StyleTable,
  clusters: ClusterTable,
): Cell[] {
  const cells = new Array<Cell>(end - start);
  // Most cells have the same style as the one before.
  let word = defaultStyle;
  let style: Style = styles.view(word);
  let shared = sharedCells(word, style);
  for (let at = start; at < end; at++) {
    if (cellStyles[at] !== word) {
      word = cellStyles[at];
      style = styles.view(word);
      shared = sharedCells(word, style);
    }
    const code = codes[at];
    if (code < 0x80) {
      if (shared === null) cells[at - start] = asciiCell(code, style);
      else cells[at - start] = shared[code] ??= sharedCell(code, style);
    } else {
      // On a screen of one column, a wide character is clipped.
      const isWhole = at + 1 < end && codes[at + 1] === spacerTail;
      const width = code === spacerTail ? 0 : isWhole ? 2 : 1;
      cells[at - start] = { text: cellText(code, clusters), width, style };
    }
  }
  return cells;
}

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
function sharedCells(word: number, style: Style): AsciiCells | null {
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
function asciiCell(code: number, style: Style): Cell {
  return { text: asciiTexts[code], width: 1, style };
}

/** The same, frozen, to be shared by readers. */
function sharedCell(code: number, style: Style): Cell {
  return Object.freeze(asciiCell(code, style));
}
