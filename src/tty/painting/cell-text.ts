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

/** C0, DEL, C1, halves of a pair, ends of lines and paragraphs, annotations. */
const unsafe = /[\p{Surrogate}\0-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb]/u;
/** What changes the direction of text is left out: it would move the cells after it. */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/**
 * Characters whose width depends on the Unicode version of a terminal: emoji, pictures and historic
 * scripts, and the trigrams, hexagrams and fillers that became wide.
 */
const disputed =
  /[\xad\u115f\u2630-\u2637\u268a-\u268f\u4dc0-\u4dff\p{Emoji_Presentation}\p{Regional_Indicator}]|[\u{10000}-\u{1ffff}]/u;
/** One character, and marks without a width that terminals have long known. */
const marked = /^.[\p{Mn}\p{Me}]*$/u;
const variation = /[\ufe00-\ufe0f]/;

/** Of a cell that no terminal would show. */
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
  const text = whole.replace(directions, '');
  const codePoints = Array.from(text, (char) => char.codePointAt(0) as number);
  const isSent = !unsafe.test(text) && codePoints.length > 0;
  // A mark without a character would join the cell before it.
  if (!isSent || widthAlone(codePoints[0]) === 0 || clusterWidth(codePoints) !== width) {
    return replacement;
  }
  const isCertain = marked.test(text) && !disputed.test(text) && !variation.test(text);
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
