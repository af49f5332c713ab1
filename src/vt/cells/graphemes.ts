import { CodePointTable, eachRange } from './code-point-table.ts';
import { graphemeRanges, variationBaseRanges } from './grapheme-table.gen.ts';
import { charWidth } from './width.ts';

// Grapheme clusters (UAX #29), decided from the content of a cell and the next character. Rules are
// cited by their number in UAX #29.

const kind = {
  other: 0,
  mark: 1,
  linker: 2,
  spacingMark: 3,
  joiner: 4,
  regional: 5,
  leading: 6,
  syllable: 7,
  vowel: 8,
  pictographic: 9,
  modifierBase: 10,
  modifier: 11,
  consonant: 12,
} as const;

const zeroWidthNonJoiner = 0x200c;
/** VS15: the preceding character is shown as text, narrow. */
const textSelector = 0xfe0e;
/** VS16: the preceding character is shown as an emoji, wide. */
const emojiSelector = 0xfe0f;

// Most terminals never see a program that asks for clusters.
let kinds: CodePointTable | null = null;
let variationBases: Set<number> | null = null;

function kindOf(codePoint: number): number {
  kinds ??= new CodePointTable(
    Object.keys(kind).map((name) => graphemeRanges[name as keyof typeof graphemeRanges] ?? ''),
  );
  return kinds.values[(kinds.blocks[codePoint >> 8] << 8) | (codePoint & 0xff)];
}

/**
 * Whether the character can continue a cluster.
 *
 * @param codePoint with a width of its own
 */
export function mayJoin(codePoint: number): boolean {
  return kindOf(codePoint) !== kind.other;
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
  const found = at < 0 ? kind.other : kindOf(cluster[at]);
  return found === kind.pictographic || found === kind.modifierBase;
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
  const found = kindOf(codePoint);
  return found === kind.mark || found === kind.linker || found === kind.modifier;
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
  return charWidth(codePoint) === 0 ? width : 2;
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

/** Returns the width in cells of code points that form one cluster; 0 if they form several. */
export function clusterWidth(codePoints: readonly number[]): number {
  let width = Math.max(1, charWidth(codePoints[0]));
  for (let at = 1; at < codePoints.length; at++) {
    const before = codePoints.slice(0, at);
    if (charWidth(codePoints[at]) !== 0 && !joins(before, codePoints[at])) return 0;
    width = widthWith(before, width, codePoints[at]);
  }
  return width;
}
