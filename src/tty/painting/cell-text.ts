import { directions, notInCell } from '#base';
import { clusterWidth, joins, widthAlone } from '#vt';

/** What a terminal makes of the text of one cell that is not a single ASCII character. */
export interface CellText {
  /** What is sent: the text, or a replacement if no terminal would show the text in one cell. */
  readonly text: string;
  readonly width: 1 | 2;
  /** All terminals agree on the width. Others may after mode 2027. */
  readonly isCertain: boolean;
  /** Columns beyond the width that a terminal without clusters may use. */
  readonly spill: number;
  /** Columns that it takes before its last character narrows it. */
  readonly room: number;
  readonly codePoints: readonly number[];
}

/** Bound of the cache; far more than the different characters of a screen in most scripts. */
const maxKnown = 8192;
const known = [new Map<string, CellText>(), new Map<string, CellText>()] as const;

/** A letter, number or sign of the basic plane, and marks without a width that every terminal knows. */
const usual =
  /^(?![\u{10000}-\u{10ffff}])[\p{L}\p{N}\p{P}\p{S}\p{Zs}\p{Co}](?:(?=[\u0300-\u07ff]|[\u0e31-\u0e4e]|[\u20d0-\u20f0])[\p{Mn}\p{Me}])*$/u;
/** Wide characters that are as old as terminals for them: no emoji, and nothing added lately. */
const usualWide =
  /^[\u3000-\u303e\u3041-\u3096\u309b-\u30ff\u3105-\u312d\u3131-\u318e\u3190-\u319f\u3220-\u3247\u3250-\u32fe\u3300-\u4db5\u4e00-\u9fcc\ua000-\ua48c\uac00-\ud7a3\uf900-\ufad9\ufe30-\ufe52\uff01-\uff60\uffe0-\uffe6]/;

/** Replaces a cell that no terminal would show. */
export const replacement: CellText = {
  text: '\ufffd',
  width: 1,
  isCertain: true,
  spill: 0,
  room: 1,
  codePoints: [0xfffd],
};

/** Returns how a cell is sent whose text is not a single ASCII character. */
export function cellText(text: string, width: 1 | 2): CellText {
  const cache = known[width - 1];
  const found = cache.get(text);
  if (found !== undefined) return found;
  if (cache.size === maxKnown) cache.clear();
  const made = describe(text, width);
  cache.set(text, made);
  return made;
}

function describe(whole: string, width: 1 | 2): CellText {
  // What changes the direction of text would move the cells after it.
  const text = whole.replace(directions, '');
  const codePoints = Array.from(text, (char) => char.codePointAt(0) as number);
  const isSent = !notInCell.test(text) && codePoints.length > 0;
  // A mark without a character would join the cell before it.
  if (!isSent || widthAlone(codePoints[0]) === 0 || clusterWidth(codePoints) !== width) {
    return replacement;
  }
  const isCertain = usual.test(text) && (width === 1 || usualWide.test(text));
  const most = codePoints.reduce((sum, codePoint) => sum + widthAlone(codePoint), 0);
  const spill = isCertain ? 0 : Math.max(1, most - width);
  return {
    text,
    width,
    isCertain,
    spill,
    room: Math.max(width, widthAlone(codePoints[0])),
    codePoints,
  };
}

/** Whether a terminal with mode 2027 would add `next` to the cell before it. */
export function joinsBefore(before: CellText, next: CellText): boolean {
  return joins(before.codePoints, next.codePoints[0]);
}
