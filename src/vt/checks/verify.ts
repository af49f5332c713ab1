import {
  clusterFlag,
  codeMask,
  emptyCell,
  spacerHead,
  spacerTail,
  wideFlag,
} from '../cells/cell.ts';
import { isFullWidth, isInRegion } from '../editing/movement.ts';
import { mayWrap } from '../editing/screens.ts';
import type { Grid } from '../grid/grid.ts';
import { mayHaveSpacers, mayHaveWide } from '../grid/row-metadata.ts';
import type { CursorState } from '../state/cursor-state.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { defaultColor } from '../style/color.ts';
import {
  defaultStyle,
  wordAttributes,
  wordBackground,
  wordForeground,
  wordOf,
} from '../style/style-word.ts';
import { type Inside, inside } from '../terminal.ts';

/**
 * Checks the invariants of a terminal. Returns one sentence per violation; the list is empty after
 * any input.
 */
export function verify(terminal: Inside): string[] {
  const t = terminal[inside].state;
  const wrong: string[] = [];
  const check = (isValid: boolean, sentence: string) => {
    if (!isValid) wrong.push(sentence);
  };
  checkCursor(t, t.cursor, 'cursor', check);
  checkCursor(t, t.savedPrimary.cursor, 'saved cursor', check);
  checkCursor(t, t.savedAlternate.cursor, 'saved cursor of the alternate screen', check);
  check(
    t.grid === t.primary || t.grid === t.alternate,
    'the current grid belongs to neither screen',
  );
  checkMargins(t, check);
  check(!t.modes.origin || isInRegion(t), `cursor outside of the margins in origin mode`);
  check(!t.cursor.wrapPending || mayWrap(t), `a wrap is pending in column ${t.cursor.col}`);
  check(t.tabs.cols === t.cols, 'tab stops have another width');
  checkScrollback(t, check);
  checkGrid(t, t.primary, 'primary', check);
  if (t.alternate !== null) checkGrid(t, t.alternate, 'alternate', check);
  return wrong;
}

type Check = (isValid: boolean, sentence: string) => void;

function checkCursor(t: TerminalState, cursor: CursorState, name: string, check: Check): void {
  const { row, col } = cursor;
  const isInside = row >= 0 && row < t.rows && col >= 0 && col < t.cols;
  check(isInside, `${name} at row ${row}, column ${col}`);
}

function checkMargins(t: TerminalState, check: Check): void {
  const { marginTop, marginBottom, rows } = t;
  const isRegion =
    marginTop < marginBottom || (rows === 1 && marginTop === 0 && marginBottom === 0);
  check(isRegion && marginTop >= 0 && marginBottom < rows, `margins ${marginTop}..${marginBottom}`);
  const { marginLeft, marginRight, cols } = t;
  const areSides = marginLeft < marginRight || cols === 1;
  const sides = `side margins ${marginLeft}..${marginRight}`;
  check(areSides && marginLeft >= 0 && marginRight < cols, sides);
  check(t.modes.sideMargins || isFullWidth(t), `${sides} without DECLRMM`);
}

function checkScrollback(t: TerminalState, check: Check): void {
  const { firstLine, nextLine, limits } = t.scrollback;
  check(firstLine <= nextLine, `scrollback begins at ${firstLine} and ends at ${nextLine}`);
  check(nextLine - firstLine <= limits.maxLines, `scrollback has ${nextLine - firstLine} lines`);
}

function checkGrid(t: TerminalState, grid: Grid, name: string, check: Check): void {
  check(grid.cols === t.cols && grid.rows === t.rows, `${name} grid has another size`);
  const starts = new Set<number>();
  for (let row = 0; row < grid.rows; row++) {
    starts.add(grid.start(row));
    checkRow(t, grid, row, `${name} row ${row}`, check);
  }
  check(starts.size === grid.rows, `${name} rows share their cells`);
  check(!grid.wraps(grid.rows - 1), `the last row of ${name} wraps`);
}

function checkRow(t: TerminalState, grid: Grid, row: number, name: string, check: Check): void {
  const start = grid.start(row);
  checkBounds(grid, row, name, check);
  for (let col = 0; col < grid.cols; col++) {
    const code = grid.codes[start + col];
    const next = col + 1 < grid.cols ? grid.codes[start + col + 1] : emptyCell;
    const location = `${name}, column ${col}`;
    const isWide = (code & wideFlag) !== 0;
    check(
      isWide === (next === spacerTail) || grid.cols === 1,
      `${location}: half a wide character`,
    );
    check(col > 0 || code !== spacerTail, `${location}: a tail spacer without a wide character`);
    if (code === spacerHead) {
      const isLast = col + 1 === grid.cols || next === spacerHead;
      check(grid.wraps(row) && isLast, `${location}: a head spacer in a row that does not wrap`);
    } else if (code !== spacerTail) {
      const limit = (code & clusterFlag) !== 0 ? t.clusters.size : 0x110000;
      check((code & codeMask) < limit, `${location}: code ${code}`);
    }
    const style = grid.styles[start + col];
    check(style >= 0 ? isWord(style) : ~style < t.styles.size, `${location}: style ${style}`);
  }
}

/** Whether the word is the only one for its style. */
function isWord(style: number): boolean {
  const attributes = wordAttributes(style);
  return wordOf(wordForeground(style), wordBackground(style), defaultColor, attributes) === style;
}

/** Checks the row metadata against the cells. */
function checkBounds(grid: Grid, row: number, name: string, check: Check): void {
  const start = grid.start(row);
  const meta = grid.metadata(row);
  const styles = grid.styles.subarray(start, start + grid.cols);
  const codes = grid.codes.subarray(start, start + grid.cols);
  check(!meta.isPlain || styles.every((style) => style === defaultStyle), `${name} is not plain`);
  check(
    (meta.flags & mayHaveWide) !== 0 || !codes.includes(spacerTail),
    `${name} has unmarked wide characters`,
  );
  check(
    (meta.flags & mayHaveSpacers) !== 0 || !codes.includes(spacerHead),
    `${name} has unmarked head spacers`,
  );
  let used = grid.cols;
  while (
    used > 0 &&
    grid.codes[start + used - 1] === emptyCell &&
    styles[used - 1] === defaultStyle
  ) {
    used--;
  }
  check(grid.usedCols(row) === used, `${name} uses ${used} columns, not ${grid.usedCols(row)}`);
}
