import { clusterFlag, codeMask, emptyCell, spacerHead, spacerTail } from '../cells/cell.ts';
import type { Rectangle } from '../grid/rectangle.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import * as attribute from '../style/attributes.ts';
import type { StyleTable } from '../style/style-table.ts';
import { attributesShift } from '../style/style-word.ts';

/** What XTCHECKSUM changes about a checksum, as bits; with none it is that of a VT520 (ctlseqs). */
const checksumFlag = {
  /** The sum itself and not its complement. */
  positive: 1 << 0,
  /** Without the attributes. */
  plain: 1 << 1,
  /** Blanks count as well. */
  untrimmed: 1 << 2,
  /** With `untrimmed`: cells that nothing was written to do not. */
  drawnOnly: 1 << 3,
  /** Whole code points. */
  unmasked: 1 << 4,
  /** Eight bits of each code, not seven. */
  eightBits: 1 << 5,
} as const;

const space = 0x20;
// An import is looked up at each use where the tests run, which counts where cells are gone through.
const shift = attributesShift;
/** Stands for a character that no 8-bit set of DEC has. */
const unknownCharacter = 0x1b;

/**
 * DECRQCRA: 16 bits. Protection is no part of it: it is not seen, and xterm's up to 390 leave it out
 * as well.
 */
export function checksum(t: TerminalState, area: Rectangle, flags: number): number {
  const { grid, styles } = t;
  const weights = styleWeights(styles, (flags & checksumFlag.plain) !== 0);
  let sum = 0;
  let isFirst = true;
  for (let row = area.top; row <= area.bottom; row++) {
    const start = grid.start(row);
    for (let at = start + area.left; at <= start + area.right; at++) {
      const code = grid.codes[at];
      // Of ASCII, which most cells hold, each is worth its code.
      const weight = code > space && code < 0x7f ? code : weightOf(t, code, flags);
      const style = grid.styles[at];
      const value = weight + (style >= 0 ? weights.words[style >> shift] : weights.entries[~style]);
      if ((flags & checksumFlag.untrimmed) !== 0) {
        const isDrawn = code !== emptyCell && code !== spacerHead;
        if (isDrawn || (flags & checksumFlag.drawnOnly) === 0) sum += value;
      } else if (isFirst || value !== space) sum += value;
      isFirst = false;
    }
  }
  return ((flags & checksumFlag.positive) !== 0 ? sum : -sum) & 0xffff;
}

function weightOf(t: TerminalState, code: number, flags: number): number {
  if (code === emptyCell || code === spacerHead) return space;
  const isWhole = (flags & checksumFlag.unmasked) !== 0;
  if (code === spacerTail) return isWhole ? 0 : unknownCharacter;
  const codePoint =
    (code & clusterFlag) === 0
      ? code & codeMask
      : (t.clusters.text(code & codeMask).codePointAt(0) as number);
  if (isWhole) return codePoint;
  if (codePoint > 0xff) return unknownCharacter;
  return (flags & checksumFlag.eightBits) !== 0 ? codePoint : codePoint & 0x7f;
}

/** What each style adds: cells are many, and styles few. */
interface StyleWeights {
  /** By attributes, of styles that are one word. */
  readonly words: Uint8Array;
  /** By entry of the table of styles, of the others. */
  readonly entries: Uint8Array;
}

const zeroWeights = new Uint8Array(attribute.attributesMask + 1);
const wordWeights = zeroWeights.map((_, attributes) => attributeWeight(attributes));

function styleWeights(styles: StyleTable, plain: boolean): StyleWeights {
  const entries = new Uint8Array(styles.size);
  if (plain) return { words: zeroWeights, entries };
  for (let at = 0; at < entries.length; at++) entries[at] = attributeWeight(styles.attributes(~at));
  return { words: wordWeights, entries };
}

/** What attributes add. */
function attributeWeight(attributes: number): number {
  if (attributes === 0) return 0;
  let weight = attribute.underlineNumber(attributes) === 0 ? 0 : 0x10;
  if ((attributes & attribute.hidden) !== 0) weight += 0x08;
  if ((attributes & attribute.inverse) !== 0) weight += 0x20;
  if ((attributes & attribute.blink) !== 0) weight += 0x40;
  if ((attributes & attribute.bold) !== 0) weight += 0x80;
  return weight;
}
