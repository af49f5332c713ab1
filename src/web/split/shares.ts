import { useSignal } from '@preact/signals';

/** Returns the number of columns in each row, for a number of panes: at most three beside each other. */
export const rowsOf = (count: number): readonly number[] =>
  count <= 3 ? [count] : [Math.ceil(count / 2), Math.floor(count / 2)];

/** The least share of a pane in its row, or of a row. */
const least = 0.15;
/** Returns the shares after a line between two of them has moved, by a share of the whole. */
export function moved(shares: readonly number[], after: number, by: number): readonly number[] {
  const [before = 0, behind = 0] = [shares[after - 1], shares[after]];
  const bounded = Math.max(least - before, Math.min(behind - least, by));
  return shares.map((share, at) => {
    if (at === after - 1) return share + bounded;
    return at === after ? share - bounded : share;
  });
}

const equal = (count: number): readonly number[] => Array.from({ length: count }, () => 1 / count);

/** How much room the rows have, and the columns in each. They are equal again when there are more or fewer. */
export function useShares(rows: readonly number[]) {
  const key = rows.join();
  const all = useSignal({ key, heights: equal(rows.length), widths: rows.map(equal) });
  if (all.value.key !== key) {
    all.value = { key, heights: equal(rows.length), widths: rows.map(equal) };
  }
  const move = (
    { row, column }: { readonly row: number; readonly column?: number },
    by: number,
  ) => {
    const { heights, widths } = all.value;
    if (column === undefined) all.value = { key, heights: moved(heights, row, by), widths };
    else {
      const others = widths.map((each, at) => (at === row ? moved(each, column, by) : each));
      all.value = { key, heights, widths: others };
    }
  };
  return {
    rows,
    heightOf: (row: number) => all.value.heights[row] ?? 1,
    widthOf: (row: number, column: number) => all.value.widths[row]?.[column] ?? 1,
    move,
  };
}
