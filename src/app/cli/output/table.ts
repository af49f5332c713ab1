/** The space between columns. */
const gap = 4;
const narrowGap = 2;

/** A column that may be truncated. */
export interface ShrinkableColumn {
  readonly column: number;
  readonly minWidth: number;
  /** The part of a truncated cell that is kept. */
  readonly keep: 'start' | 'end';
  /** Truncated only when all others have their minimum width. */
  readonly isLast?: true;
}

/** Lays rows out under their heads, each column as wide as its widest cell. */
export async function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<string> {
  const all = [heads, ...rows];
  const text = await widthsFor(all.flat());
  return laidOut(text, all, widthsOf(text, all), gap);
}

/**
 * As {@link table}, with lines of at most `maxWidth`: truncates columns, the widest first, and leaves
 * out the last columns if that is not enough. The first column is always kept.
 */
export async function fittedTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  maxWidth: number,
  shrinkable: readonly ShrinkableColumn[],
): Promise<string> {
  let all = [heads, ...rows];
  const text = await widthsFor(all.flat());
  for (;;) {
    const widths = widthsOf(text, all);
    const room = maxWidth - narrowGap * (widths.length - 1);
    const shrunk = shrunkWidths(widths, room, shrinkable);
    if (sum(shrunk) <= room || widths.length === 1) {
      return laidOut(text, truncated(text, all, shrunk, shrinkable), shrunk, narrowGap);
    }
    all = all.map((row) => row.slice(0, -1));
  }
}

const widthsOf = ({ textWidth }: TextWidths, rows: readonly (readonly string[])[]): number[] =>
  (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => textWidth(row[column] ?? ''))));

const sum = (widths: readonly number[]): number =>
  widths.reduce((total, width) => total + width, 0);

/** Narrows the widest column again and again until all fit, or none can be narrower. */
function shrunkWidths(
  ownWidths: readonly number[],
  room: number,
  shrinkable: readonly ShrinkableColumn[],
): number[] {
  const widths = [...ownWidths];
  for (let excess = sum(widths) - room; excess > 0; excess--) {
    const spare = shrinkable.filter(({ column, minWidth }) => (widths[column] ?? 0) > minWidth);
    const [widest] = spare.sort(
      (a, b) =>
        Number(a.isLast ?? false) - Number(b.isLast ?? false) ||
        (widths[b.column] ?? 0) - (widths[a.column] ?? 0),
    );
    if (widest === undefined) break;
    widths[widest.column] = (widths[widest.column] ?? 0) - 1;
  }
  return widths;
}

function truncated(
  text: TextWidths,
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  shrinkable: readonly ShrinkableColumn[],
): string[][] {
  const keepByColumn = new Map(shrinkable.map(({ column, keep }) => [column, keep]));
  return rows.map((row, index) =>
    row.map((cell, column) => {
      // The head is in row 0.
      const keep = index === 0 ? 'start' : (keepByColumn.get(column) ?? 'start');
      return truncatedText(text, cell, widths[column] ?? 0, keep);
    }),
  );
}

function laidOut(
  { textWidth }: TextWidths,
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  space: number,
): string {
  const line = (row: readonly string[]) =>
    row
      .map(
        (cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - textWidth(cell))),
      )
      .join(' '.repeat(space))
      .trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}

/** Truncates a text to at most `width` columns and marks the place with an ellipsis. */
function truncatedText(
  { textWidth, clustersOf }: TextWidths,
  text: string,
  width: number,
  keep: 'start' | 'end',
): string {
  if (textWidth(text) <= width) return text;
  const clusters = keep === 'start' ? clustersOf(text) : clustersOf(text).toReversed();
  let left = width - 1;
  const lines: string[] = [];
  for (const cluster of clusters) {
    left -= cluster.width;
    if (left < 0) break;
    lines.push(cluster.text);
  }
  return keep === 'start' ? `${lines.join('')}…` : `…${lines.reverse().join('')}`;
}

/** Characters that take one column in every terminal. */
const narrow = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2500-\u259f]*$/;

/** Whether each character of a text takes one column. */
export const isNarrow = (text: string): boolean => narrow.test(text);

/** What `#vt/widths` has, for texts without control characters. */
export interface TextWidths {
  readonly textWidth: (text: string) => number;
  readonly clustersOf: (
    text: string,
  ) => readonly { readonly text: string; readonly width: number }[];
}

const narrowWidths: TextWidths = {
  textWidth: (text) => text.length,
  clustersOf: (text) => Array.from(text, (character) => ({ text: character, width: 1 })),
};

/** Loads the widths of all characters only if a text needs them: their tables take part of the time of a short verb. */
export const widthsFor = async (texts: readonly string[]): Promise<TextWidths> =>
  texts.every(isNarrow) ? narrowWidths : import('#vt/widths');
