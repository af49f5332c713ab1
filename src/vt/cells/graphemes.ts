import type { Cell, Style } from '#model';
import { graphemeRanges, variationBaseRanges } from './grapheme-table.gen.ts';
import { CodePointTable, charWidth, eachRange, quickWidths } from './width.ts';

// Grapheme clusters (UAX #29), decided from the content of a cell and the next character. Rules are
// cited by their number in UAX #29.

const kind = {
  other: 0,
  mark: 1,
  linker: 2,
  /** Mc: adds a column to a narrow character before it. */
  spacingMark: 3,
  /** The same, of the class Extend. */
  extendingSpacingMark: 4,
  /** A letter of the class SpacingMark, such as Thai SARA AM. */
  joiningLetter: 5,
  joiner: 6,
  regional: 7,
  leading: 8,
  syllable: 9,
  vowel: 10,
  pictographic: 11,
  modifierBase: 12,
  modifier: 13,
  consonant: 14,
} as const;

const zeroWidthNonJoiner = 0x200c;
/** VS15: the preceding character is shown as text, narrow. */
const textSelector = 0xfe0e;
/** VS16: the preceding character is shown as an emoji, wide. */
const emojiSelector = 0xfe0f;

// Built when the first character that is not ASCII is printed.
let kinds: CodePointTable | null = null;
let runWidths: Uint8Array | null = null;
let variationBases: Set<number> | null = null;

function kindOf(codePoint: number): number {
  kinds ??= new CodePointTable(
    Object.keys(kind).map((name) => graphemeRanges[name as keyof typeof graphemeRanges] ?? ''),
  );
  return kinds.values[(kinds.blocks[codePoint >> 8] << 8) | (codePoint & 0xff)];
}

/** Whether the character can join the cluster before it. */
export function mayJoin(codePoint: number): boolean {
  return kindOf(codePoint) !== kind.other;
}

/**
 * Returns the width in cells of a character on its own in mode 2027: as {@link charWidth}, except
 * that a spacing mark takes 0 cells and a regional indicator 2, as in wcwidth 0.8.
 */
export function widthAlone(codePoint: number): number {
  switch (kindOf(codePoint)) {
    case kind.linker:
    case kind.spacingMark:
    case kind.extendingSpacingMark:
      return 0;
    case kind.regional:
      return 2;
    default:
      return charWidth(codePoint);
  }
}

/** Added to a width by {@link runWidth}. */
export const joinsAtStart = 4;

/**
 * Returns the width of a character in a run, in which each character begins a cluster. Adds
 * {@link joinsAtStart} if the character cannot join a character of a run but may join the cell
 * before the run. Returns 0 if the character must be compared with the cell before it.
 */
export function runWidth(codePoint: number): number {
  switch (kindOf(codePoint)) {
    case kind.other:
      return charWidth(codePoint);
    case kind.syllable:
    case kind.pictographic:
    case kind.modifierBase:
    case kind.consonant:
      return charWidth(codePoint) + joinsAtStart;
    default:
      return 0;
  }
}

/** {@link runWidth} within a run, as a table, see {@link quickWidths}: 0, 1 or 2. */
export function quickRunWidths(): Uint8Array {
  runWidths ??= quickWidths((codePoint) => runWidth(codePoint) & (joinsAtStart - 1));
  return runWidths;
}

/**
 * Whether a character with a width of its own belongs to the cluster before it. A character without
 * one always does.
 *
 * @param cluster code points of the cluster so far, at least one
 */
export function joins(cluster: readonly number[], codePoint: number): boolean {
  const last = kindOf(cluster[cluster.length - 1]);
  switch (kindOf(codePoint)) {
    case kind.mark:
    case kind.linker:
    case kind.spacingMark: // GB9, GB9a
    case kind.extendingSpacingMark:
    case kind.joiningLetter:
      return true;
    case kind.modifier: // GB9; after anything else it is an emoji of its own (UTS #51, 2.5)
      return last === kind.modifierBase;
    case kind.leading: // GB6
    case kind.syllable:
      return last === kind.leading;
    case kind.vowel: // GB7
      return last === kind.vowel;
    case kind.pictographic: // GB11
    case kind.modifierBase:
      return last === kind.joiner && endsInPictographic(cluster);
    case kind.consonant: // GB9c
      return endsInConjunct(cluster);
    case kind.regional: // GB12, GB13
      return last === kind.regional && cluster.length % 2 === 1;
    default:
      return false;
  }
}

/** Whether the cluster ends in a pictographic character, marks, and a joiner. */
function endsInPictographic(cluster: readonly number[]): boolean {
  let at = cluster.length - 2;
  while (at > 0 && isMark(cluster[at])) at--;
  const kindBefore = at < 0 ? kind.other : kindOf(cluster[at]);
  return kindBefore === kind.pictographic || kindBefore === kind.modifierBase;
}

/** Whether the cluster ends in a consonant and marks that include a linker. */
function endsInConjunct(cluster: readonly number[]): boolean {
  let at = cluster.length - 1;
  let isLinked = false;
  for (; at > 0 && isConjunctMark(cluster[at]); at--)
    isLinked ||= kindOf(cluster[at]) === kind.linker;
  return isLinked && kindOf(cluster[at]) === kind.consonant;
}

function isConjunctMark(codePoint: number): boolean {
  if (codePoint === zeroWidthNonJoiner) return false;
  return isMark(codePoint) || kindOf(codePoint) === kind.joiner;
}

/** Whether the character is Extend in UAX #29. */
function isMark(codePoint: number): boolean {
  const kindNow = kindOf(codePoint);
  return (
    kindNow === kind.mark ||
    kindNow === kind.linker ||
    kindNow === kind.modifier ||
    kindNow === kind.extendingSpacingMark
  );
}

/**
 * Returns the width of a cluster after a character was added: the sum of the widths of its
 * characters, but at most 2. A variation selector determines the width of the character before it.
 *
 * @param cluster without the new character, at least one
 * @param width of the cluster without it
 */
export function widthWith(cluster: readonly number[], width: number, codePoint: number): number {
  if (codePoint === emojiSelector || codePoint === textSelector) {
    if (!isVariationBase(cluster[cluster.length - 1])) return width;
    return codePoint === emojiSelector ? 2 : 1;
  }
  const added = kindOf(codePoint);
  if (added === kind.spacingMark || added === kind.extendingSpacingMark) return 2;
  return widthAlone(codePoint) === 0 ? width : 2;
}

function isVariationBase(codePoint: number): boolean {
  if (variationBases === null) {
    const bases = new Set<number>();
    eachRange(variationBaseRanges, (first, last) => {
      for (let point = first; point <= last; point++) bases.add(point);
    });
    variationBases = bases;
  }
  return variationBases.has(codePoint);
}

/**
 * Returns the width in cells of code points that form one cluster; 0 if they form several.
 *
 * @param firstWidth width of the cell with the first
 */
export function clusterWidth(
  codePoints: readonly number[],
  firstWidth = Math.max(1, widthAlone(codePoints[0])),
): number {
  let width = firstWidth;
  for (let at = 1; at < codePoints.length; at++) {
    const before = codePoints.slice(0, at);
    if (widthAlone(codePoints[at]) !== 0 && !joins(before, codePoints[at])) return 0;
    width = widthWith(before, width, codePoints[at]);
  }
  return width;
}

/** A grapheme cluster of a text, and its width in cells. */
export interface Cluster {
  readonly text: string;
  readonly width: number;
}

/**
 * Returns the clusters of a text as in mode 2027. Characters without a width that follow no other are left out.
 *
 * @param text without control characters
 */
export function clustersOf(text: string): readonly Cluster[] {
  const clusters: Cluster[] = [];
  let cluster: number[] = [];
  let width = 0;
  const end = () => {
    if (cluster.length > 0) clusters.push({ text: String.fromCodePoint(...cluster), width });
  };
  for (const character of text) {
    const codePoint = character.codePointAt(0) as number;
    const alone = codePoint < 0x80 ? 1 : widthAlone(codePoint);
    if (cluster.length > 0 && codePoint >= 0x80 && (alone === 0 || joins(cluster, codePoint))) {
      width = widthWith(cluster, width, codePoint);
      cluster.push(codePoint);
    } else if (alone > 0) {
      end();
      cluster = [codePoint];
      width = alone;
    }
  }
  end();
  return clusters;
}

const isAscii = /^[ -~]*$/;

/** Returns the number of cells that a text takes on one row. @param text without control characters */
export const textWidth = (text: string): number =>
  isAscii.test(text) ? text.length : clustersOf(text).reduce((sum, { width }) => sum + width, 0);

/**
 * Returns text as cells of one style: a cell per cluster, wide ones with a spacer cell after them.
 *
 * @param text without control characters
 */
export const textCells = (text: string, style: Style): Cell[] =>
  clustersOf(text).flatMap((cluster): Cell[] =>
    cluster.width === 2
      ? [
          { text: cluster.text, width: 2, style },
          { text: '', width: 0, style },
        ]
      : [{ text: cluster.text, width: 1, style }],
  );
