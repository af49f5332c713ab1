import { clusterFlag, codeMask, firstCharacter, spacerHead, spacerTail } from '../cells/cell.ts';
import type { Rectangle } from '../grid/cell-moves.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import * as attribute from '../style/attributes.ts';
import { linkMask, protectedCell, underlineMask } from '../style/attributes.ts';
import { defaultColor } from '../style/color.ts';
import { reportedSgr } from '../style/sgr-text.ts';
import { entryWords, type StyleTable } from '../style/style-table.ts';
import {
  attributesBits,
  attributesShift,
  backgroundMask,
  defaultStyle,
  foregroundMask,
} from '../style/style-word.ts';

/**
 * The bits by which XTCHECKSUM changes a checksum. Without them, it is that of a VT520 (ctlseqs).
 */
const checksumFlag = {
  /** Report the sum instead of its complement. */
  positive: 1 << 0,
  /** Ignore the attributes. */
  plain: 1 << 1,
  /** Count blanks. */
  untrimmed: 1 << 2,
  /** With `untrimmed`: do not count cells that were never written to. */
  drawnOnly: 1 << 3,
  /** Count whole code points. */
  unmasked: 1 << 4,
  /** Count eight bits of each code instead of seven. */
  eightBits: 1 << 5,
} as const;

const space = 0x20;
// Under the test runner, each access to an import is a lookup, which is slow in loops over cells.
const shift = attributesShift;
const first = firstCharacter;
/** Counted for a character that is in no 8-bit set of DEC. */
const unknownCharacter = 0x1b;

/**
 * Returns the 16-bit checksum of DECRQCRA. Protection is not included, because it is invisible;
 * xterm up to patch 390 does not include it either.
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
      // Most cells contain ASCII, which counts as its code, or nothing.
      const isAscii = code > space && code < 0x7f;
      const weight = isAscii ? code : code < first ? space : weightOf(t, code, flags);
      const style = grid.styles[at];
      const value = weight + (style >= 0 ? weights.words[style >> shift] : weights.entries[~style]);
      if ((flags & checksumFlag.untrimmed) !== 0) {
        const isDrawn = code >= firstCharacter && code !== spacerHead;
        if (isDrawn || (flags & checksumFlag.drawnOnly) === 0) sum += value;
      } else if (isFirst || value !== space) sum += value;
      isFirst = false;
    }
  }
  return ((flags & checksumFlag.positive) !== 0 ? sum : -sum) & 0xffff;
}

function weightOf(t: TerminalState, code: number, flags: number): number {
  if (code < firstCharacter || code === spacerHead) return space;
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

/** The weight of each style, computed once because there are many cells and few styles. */
interface StyleWeights {
  /** By attributes, for styles that fit a style word. */
  readonly words: Uint8Array;
  /** By entry of the style table, for the others. */
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

/** Returns the weight of attributes. */
function attributeWeight(attributes: number): number {
  if (attributes === 0) return 0;
  let weight = attribute.underlineNumber(attributes) === 0 ? 0 : 0x10;
  if ((attributes & attribute.hidden) !== 0) weight += 0x08;
  if ((attributes & attribute.inverse) !== 0) weight += 0x20;
  if ((attributes & attribute.blink) !== 0) weight += 0x40;
  if ((attributes & attribute.bold) !== 0) weight += 0x80;
  return weight;
}

const invisible = linkMask | protectedCell;
const underlineField = attributesBits(underlineMask);
// Under the test runner, each access to an import is a lookup, which is slow in loops.
const underline = underlineMask;

/** Returns the SGR sequence of the attributes and colours that all cells of a rectangle share. */
export function commonRendition(t: TerminalState, area: Rectangle): string {
  const { styles } = t;
  const result = stylesIn(t, area);
  const { entries } = styles;
  const [first = defaultStyle] =
    result.words.length > 0 ? result.words : [~result.marks.indexOf(1)];
  let [fg, bg, underlineColor] = [styles.fg(first), styles.bg(first), styles.underlineColor(first)];
  let attributes = styles.attributes(first) & ~invisible;
  // There may be hundreds of entries, for each of hundreds of reports.
  for (let index = 0, at = 0; index < result.marks.length; index++, at += entryWords) {
    if (result.marks[index] === 0) continue;
    if (entries[at] !== fg) fg = defaultColor;
    if (entries[at + 1] !== bg) bg = defaultColor;
    if (entries[at + 2] !== underlineColor) underlineColor = defaultColor;
    const own = entries[at + 3];
    const isSameLine = (own & underline) === (attributes & underline);
    attributes &= isSameLine ? own | underline : own & ~underline;
  }
  return `\x1b[${reportedSgr(fg, bg, underlineColor, attributes)}m`;
}

/** The styles of some cells, each once. */
interface FoundStyles {
  /** At most one, with what all style words have in common, because there may be many. */
  readonly words: readonly number[];
  /** By entry of the style table: 1 if a cell has it. */
  readonly marks: Uint8Array;
}

function stylesIn({ grid, styles }: TerminalState, area: Rectangle): FoundStyles {
  const marks = new Uint8Array(styles.size);
  let any = 0;
  let every = -1;
  for (let row = area.top; row <= area.bottom; row++) {
    const start = grid.start(row);
    for (let at = start + area.left; at <= start + area.right; at++) {
      const style = grid.styles[at];
      if (style >= 0) {
        any |= style;
        every &= style;
      } else marks[~style] = 1;
    }
  }
  return { words: every < 0 ? [] : [commonWord(any, every)], marks };
}

/**
 * @param any the bits set in any word
 * @param every the bits set in all words
 */
function commonWord(any: number, every: number): number {
  let word = every;
  const differing = any ^ every;
  for (const field of [foregroundMask, backgroundMask, underlineField]) {
    if ((differing & field) !== 0) word &= ~field;
  }
  return word;
}
