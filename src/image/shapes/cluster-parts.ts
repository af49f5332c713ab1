/** A character of a cluster, and where it is drawn. */
export interface ClusterPart {
  readonly base: string;
  /** Drawn over the base. */
  readonly marks: readonly string[];
  /** The colour of the skin, as 0xRRGGBB; null for none. */
  readonly tone: number | null;
  /** Within the cells of the cluster, as shares of their width and height. */
  readonly place: Place;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How a cluster is drawn that is more than a character and the marks on it. */
export interface Cluster {
  /** The letters of a flag: its country and region. */
  readonly isFlag: boolean;
  /** Whether the parts keep their proportions; letters become narrower only. */
  readonly isPicture: boolean;
  readonly parts: readonly ClusterPart[];
}

/** The skin tones of U+1F3FB to U+1F3FF (UTS #51, 2.4). */
const tones = [0xf7dece, 0xf3d2a2, 0xd5ab88, 0xaf7e57, 0x7c533e];
const firstTone = 0x1f3fb;
const firstRegional = 0x1f1e6;
const blackFlag = '\u{1f3f4}';
/** A tag is the character that it stands for, and this (UTS #51, annex C). */
const tagBase = 0xe0000;
/** More parts would be a pixel or two wide. */
const maxParts = 16;
/** More letters stand in several rows. */
const maxInRow = 4;

/** Returns the parts of a cluster; null if it is a character with marks at most. @param text in NFC */
export function clusterOf(text: string): Cluster | null {
  const points = [...text];
  if (points.length < 2) return null;
  const flag = flagOf(text);
  if (flag !== null) return { isFlag: true, isPicture: false, parts: placed(flag) };
  const parts = partsOf(points).slice(0, maxParts);
  if (parts.length === 1 && parts[0]?.tone === null) return null;
  const isPicture = /\p{Extended_Pictographic}/u.test(text);
  return { isFlag: false, isPicture, parts: placed(rowsOf(parts, isPicture)) };
}

/** Whether a character is a mark that is seen; a fallback font may have boxes with the names of others. */
export const isMark = (char: string): boolean => /\p{M}/u.test(char) && !isIgnorable(char);

/** Whether a character chooses a form, or joins others, and shows nothing itself. */
const isIgnorable = (char: string): boolean => /\p{Default_Ignorable_Code_Point}/u.test(char);

type Part = Omit<ClusterPart, 'place'>;

/** Returns the letters of a flag: of a country, or above those of a region. */
function flagOf(text: string): Part[][] | null {
  if (/^[\u{1f1e6}-\u{1f1ff}]{2}$/u.test(text)) {
    return [lettersOf(text, (point) => point - firstRegional + 0x41)];
  }
  const [base, ...tags] = text;
  const code = tags.join('');
  if (
    base !== blackFlag ||
    !/^[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}$/u.test(code)
  ) {
    return null;
  }
  const letters = lettersOf(tags.slice(0, -1).join(''), (point) => point - tagBase);
  return [letters.slice(0, 2), letters.slice(2)];
}

const lettersOf = (text: string, letter: (point: number) => number): Part[] =>
  Array.from(text, (char) => {
    const base = String.fromCodePoint(letter(char.codePointAt(0) ?? 0)).toUpperCase();
    return { base, marks: [], tone: null };
  });

function partsOf(points: readonly string[]): Part[] {
  const parts: { base: string; marks: string[]; tone: number | null }[] = [];
  for (const char of points) {
    const part = parts.at(-1);
    const tone = tones[(char.codePointAt(0) ?? 0) - firstTone];
    if (part === undefined) parts.push({ base: char, marks: [], tone: null });
    else if (tone !== undefined) part.tone = tone;
    else if (isMark(char)) part.marks.push(char);
    else if (!isIgnorable(char)) parts.push({ base: char, marks: [], tone: null });
  }
  return parts;
}

function rowsOf(parts: readonly Part[], isPicture: boolean): Part[][] {
  const isRow = parts.length <= (isPicture ? 2 : maxInRow);
  const cols = isRow ? parts.length : Math.ceil(Math.sqrt(parts.length));
  return Array.from({ length: Math.ceil(parts.length / cols) }, (_, row) =>
    parts.slice(row * cols, (row + 1) * cols),
  );
}

const placed = (rows: readonly (readonly Part[])[]): ClusterPart[] =>
  rows.flatMap((row, at) => {
    const [width, height] = [1 / row.length, 1 / rows.length];
    return row.map((part, col) => ({
      ...part,
      place: { x: col * width, y: at * height, width, height },
    }));
  });
