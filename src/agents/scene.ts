import { questionOnScreen, type ShownQuestion, type ShownScreen } from '#watch';
import type { Region } from './agent-kind.ts';
import { type Composer, findComposer, isEdge } from './composer.ts';

/** A sign that programs turn in front of a text: Braille, circles, stars, moons, squares. */
export const glyph = '[\\u2801-\\u28ff·•◦*✢✳✶✻✽∗◐-◓◴-◷○◎◉●◔◕⏲✦⬡⬢\\u{1f311}-\\u{1f318}■⬝]\\ufe0f?';
/** In the edge of a composer: `── ⠧ Working ───` */
export const inEdge = '(?:─{2,} )?';
const begins = new RegExp(`^${inEdge}${glyph}`, 'u');
/** Whether a row begins with a sign that programs turn while they work. */
export const beginsWithSign = (row: string): boolean => begins.test(row);

/** The screen of an agent in parts. */
export interface Scene {
  /** Null if none is shown, as below a dialog. */
  readonly composer: Composer | null;
  /** What is asked below the conversation; null if there is a composer, or nothing is asked. */
  readonly question: ShownQuestion | null;
  /** The rows with text of each region, without the blanks around them. */
  readonly rows: Readonly<Record<Exclude<Region, 'title'>, readonly string[]>>;
}

/** How many rows with text the regions `over` and `end` have. */
const overRows = 4;
const endRows = 6;

/** Returns the parts of a screen. */
export function sceneOf(screen: ShownScreen): Scene {
  const { rows } = screen;
  const composer = findComposer(screen);
  const end = textsOf(rows).slice(-endRows);
  if (composer === null) {
    const parts = { over: end, composer: [], footer: [], end };
    return { composer, question: questionOnScreen(screen), rows: parts };
  }
  // With the upper edge, which may have a text in it.
  const above = rows.slice(0, composer.top).map(withoutScrollBar);
  const last = textsOf(above).slice(-overRows);
  const parent = parentOf(above);
  const over = parent === null || last.includes(parent) ? last : [parent, ...last];
  const footer = textsOf(rows.slice(composer.bottom));
  return { composer, question: null, rows: { over, composer: [composer.text], footer, end } };
}

/** The most rows with text between a composer and the row that they belong to. */
const maxChildren = 20;

/** Returns a row of the conversation without the scroll bar at its right end. */
const withoutScrollBar = (row: string): string => row.replace(/(?:^|\s{2})\s*[▀▄█▐]$/u, '');

/**
 * Returns the row with a sign to which all rows at the end belong, because they are indented deeper, such as the tasks
 * below a working row, or the rest of its own text; null if there is none.
 */
function parentOf(above: readonly string[]): string | null {
  const texts = above.filter((row) => row.trim() !== '' && !isEdge(row)).slice(-maxChildren);
  let least = Number.POSITIVE_INFINITY;
  for (const row of texts.reverse()) {
    const indent = row.search(/\S/u);
    if (indent >= least) continue;
    if (beginsWithSign(row.trim())) return row.trim();
    least = indent;
  }
  return null;
}

const textsOf = (rows: readonly string[]): string[] =>
  rows.map((row) => row.trim()).filter((row) => row !== '');
