import type { Cell } from '#model';

/** The highlighted text of a row: the selection of a menu, a status line. */
export interface Highlight {
  /** 1-based. */
  readonly row: number;
  readonly text: string;
}

const maxHighlights = 10;
const maxChars = 60;
/** A background that covers more of the screen is a window, not a highlight. */
const maxShare = 1 / 6;

/**
 * Returns the rows with highlighted text: in reverse, or on another background than most of the screen.
 * Runs of a row are joined with two spaces.
 */
export function highlightsOf(rows: readonly (readonly Cell[])[]): Highlight[] {
  const isHighlighted = highlightTest(rows);
  const found: Highlight[] = [];
  for (const [index, cells] of rows.entries()) {
    const text = runsOf(cells, isHighlighted).join('  ');
    if (text !== '') found.push({ row: index + 1, text: truncated(text) });
    if (found.length === maxHighlights) break;
  }
  return found;
}

const truncated = (text: string): string =>
  text.length > maxChars ? `${text.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;

/** Returns the test for highlighted cells. The most common background of the screen is not a highlight. */
function highlightTest(rows: readonly (readonly Cell[])[]): (cell: Cell) => boolean {
  const cells = rows.flat();
  const counts = new Map<string, number>();
  for (const cell of cells) {
    const background = backgroundOf(cell);
    counts.set(background, (counts.get(background) ?? 0) + 1);
  }
  const [[common] = ['']] = [...counts].sort(([, a], [, b]) => b - a);
  return (cell) => {
    const background = backgroundOf(cell);
    if (background === common) return false;
    return cell.style.inverse || (counts.get(background) ?? 0) <= cells.length * maxShare;
  };
}

/** The colour behind the text, which reverse video exchanges with that of the text. */
const backgroundOf = ({ style: { inverse, fg, bg } }: Cell): string =>
  inverse ? `inverse ${fg}` : `${bg}`;

function runsOf(cells: readonly Cell[], isHighlighted: (cell: Cell) => boolean): string[] {
  const runs: string[] = [];
  let run = '';
  for (const cell of cells) {
    if (isHighlighted(cell)) {
      run += cell.text;
      continue;
    }
    runs.push(run.trim());
    run = '';
  }
  return [...runs, run.trim()].filter((each) => each !== '');
}
