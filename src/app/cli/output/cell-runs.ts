import { attributeNames, type Cell, type Style } from '#model';

/** The cells of one row that look alike, side by side. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly look: string;
}

/**
 * Where a screen is not in plain style, and how it looks there: a line a run, with the row, the
 * first and the last column (all from 0), the look, and the text.
 */
export function cellRuns(rows: readonly (readonly Cell[])[]): string {
  return rows
    .flatMap((cells, row) =>
      runsOf(cells)
        .filter(({ look }) => look !== '')
        .map(
          ({ from, to, look, text }) => `${row}:${from}-${to} ${look} ${JSON.stringify(text)}\n`,
        ),
    )
    .join('');
}

function runsOf(cells: readonly Cell[]): Run[] {
  const runs: Run[] = [];
  for (const [col, { text, style }] of cells.entries()) {
    const look = lookOf(style);
    const last = runs.at(-1);
    if (last?.look === look) {
      runs[runs.length - 1] = { ...last, to: col, text: last.text + text };
    } else {
      runs.push({ from: col, to: col, text, look });
    }
  }
  return runs;
}

/** In words: `bold fg=1 bg=#303030`; empty where nothing is set. */
function lookOf(style: Style): string {
  const { fg, bg, underline, underlineColor, link } = style;
  return [
    ...attributeNames(style),
    ...(underline === 'none' ? [] : [`underline=${underline}`]),
    ...(underlineColor === null ? [] : [`underline-color=${underlineColor}`]),
    ...(fg === null ? [] : [`fg=${fg}`]),
    ...(bg === null ? [] : [`bg=${bg}`]),
    ...(link === null ? [] : [`link=${JSON.stringify(link)}`]),
  ].join(' ');
}
