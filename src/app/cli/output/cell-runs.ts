import { attributeNames, type Cell, type Style } from '#model';

/** Adjacent cells of a row that have the same style. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** The style in words; empty for plain style. */
  readonly style: string;
}

/**
 * Lists the runs of a screen that are not in plain style, one per line: row, first and last column
 * (all 0-based), style, and text.
 */
export function cellRuns(rows: readonly (readonly Cell[])[]): string {
  return rows
    .flatMap((cells, row) =>
      runsOf(cells)
        .filter(({ style }) => style !== '')
        .map(
          ({ from, to, style, text }) => `${row}:${from}-${to} ${style} ${JSON.stringify(text)}\n`,
        ),
    )
    .join('');
}

function runsOf(cells: readonly Cell[]): Run[] {
  const runs: Run[] = [];
  for (const [col, { text, style: cellStyle }] of cells.entries()) {
    const style = styleText(cellStyle);
    const last = runs.at(-1);
    if (last?.style === style) {
      runs[runs.length - 1] = { ...last, to: col, text: last.text + text };
    } else {
      runs.push({ from: col, to: col, text, style });
    }
  }
  return runs;
}

/** Returns the style in words, such as `bold fg=1 bg=#303030`; empty for plain style. */
function styleText(style: Style): string {
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
