import type { Cell, Style } from '#model';

/** Columns of a line: from `from` up to but excluding `to`. */
export interface Cols {
  readonly from: number;
  readonly to: number;
}

/**
 * Changes the style of columns of a row.
 *
 * @param offset the column of the first cell
 */
export function restyle(
  row: Cell[],
  offset: number,
  cols: Cols,
  style: (style: Style) => Style,
): void {
  const end = Math.min(row.length, cols.to - offset);
  for (let col = Math.max(0, cols.from - offset); col < end; col++) {
    const cell = row[col];
    if (cell !== undefined) row[col] = { ...cell, style: style(cell.style) };
  }
}

/** Remembers a style for each style, so that equal cells have the same one. */
export function remembered(change: (style: Style) => Style): (style: Style) => Style {
  const known = new WeakMap<Style, Style>();
  return (style) => {
    let changed = known.get(style);
    if (changed === undefined) {
      changed = change(style);
      known.set(style, changed);
    }
    return changed;
  };
}

export const turned = remembered((style) => ({ ...style, inverse: !style.inverse }));
/** Yellow where there are colours; inverse everywhere. */
export const matchStyle = remembered((style) => ({ ...style, inverse: true, fg: 11, bg: 0 }));
export const currentStyle = remembered((style) => ({
  ...style,
  ...{ inverse: true, bold: true, underline: 'single', fg: 13, bg: 0 },
}));
