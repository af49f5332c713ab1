import { type Direction, type Layout, LayoutCell, type LayoutPane, minimumSize } from './layout.ts';

/** The layouts that have names, in the order of `next-layout`. */
export const presetNames = [
  'even-horizontal',
  'even-vertical',
  'main-horizontal',
  'main-vertical',
  'tiled',
] as const;

export type PresetName = (typeof presetNames)[number];

/** The size of the first pane of the main layouts, and of the others; 0: what is left. In cells. */
export interface MainSizes {
  readonly main: number;
  readonly other: number;
}

/** Arranges panes in a window of a size. */
export function arrange<P extends LayoutPane>(
  layout: Layout<P>,
  panes: readonly P[],
  name: PresetName,
  size: { readonly cols: number; readonly rows: number },
  sizes: MainSizes,
): void {
  if (panes.length <= 1) return;
  const { cols, rows } = size;
  if (name === 'even-horizontal') layout.root = even(panes, 'row', cols, rows);
  else if (name === 'even-vertical') layout.root = even(panes, 'column', cols, rows);
  else if (name === 'tiled') layout.root = tiled(panes, cols, rows);
  else {
    const direction = name === 'main-horizontal' ? 'column' : 'row';
    layout.root = withMain(panes, direction, cols, rows, sizes);
  }
  layout.fix();
}

function even<P extends LayoutPane>(
  panes: readonly P[],
  direction: Direction,
  cols: number,
  rows: number,
): LayoutCell<P> {
  const root = new LayoutCell<P>(null);
  root.place(cols, rows, 0, 0);
  root.setSize(direction, Math.max(panes.length * 2 - 1, root.size(direction)));
  const children = panes.map((pane) => {
    const cell = new LayoutCell<P>(root, pane);
    cell.place(cols, rows, 0, 0);
    return cell;
  });
  root.become(direction, children);
  root.spreadChildren();
  return root;
}

/** The first pane, and the others after it: below it for the direction `column`. */
function withMain<P extends LayoutPane>(
  [first, ...others]: readonly P[],
  direction: Direction,
  cols: number,
  rows: number,
  sizes: MainSizes,
): LayoutCell<P> {
  const across = direction === 'row' ? 'column' : 'row';
  const size = (direction === 'row' ? cols : rows) - 1;
  const { main, other } = mainSizes(sizes, size);
  const wide = Math.max(others.length * 2 - 1, direction === 'row' ? rows : cols);
  const sized = (cell: LayoutCell<P>, along: number) => {
    cell.setSize(direction, along);
    cell.setSize(across, wide);
    return cell;
  };
  const root = sized(new LayoutCell<P>(null), main + other + 1);
  const mainCell = sized(new LayoutCell<P>(root, first ?? null), main);
  const rest = sized(new LayoutCell<P>(root, others[0] ?? null), other);
  if (others.length > 1) {
    const cells = others.map((pane) => {
      const cell = sized(new LayoutCell<P>(rest, pane), other);
      cell.setSize(across, minimumSize);
      return cell;
    });
    rest.become(across, cells);
    rest.spreadChildren();
  }
  root.become(direction, [mainCell, rest]);
  return root;
}

function mainSizes({ main, other }: MainSizes, size: number): MainSizes {
  if (main + minimumSize >= size) {
    const least = size <= minimumSize * 2 ? minimumSize : size - minimumSize;
    return { main: least, other: minimumSize };
  }
  if (other === 0 || other > size || size - other < main) return { main, other: size - main };
  return { main: size - other, other };
}

function tiled<P extends LayoutPane>(
  panes: readonly P[],
  cols: number,
  rows: number,
): LayoutCell<P> {
  let [down, along] = [1, 1];
  while (down * along < panes.length) {
    down++;
    if (down * along < panes.length) along++;
  }
  const width = Math.max(minimumSize, Math.floor((cols - (along - 1)) / along));
  const height = Math.max(minimumSize, Math.floor((rows - (down - 1)) / down));
  const root = new LayoutCell<P>(null);
  root.place(
    Math.max((width + 1) * along - 1, cols),
    Math.max((height + 1) * down - 1, rows),
    0,
    0,
  );
  const lines: LayoutCell<P>[] = [];
  for (let at = 0; at < panes.length; at += along) {
    lines.push(tiledRow(root, panes.slice(at, at + along), along, width, height, cols));
  }
  root.become('column', lines);
  const used = down * height + down - 1;
  if (rows > used) lines.at(-1)?.grow('column', rows - used);
  return root;
}

function tiledRow<P extends LayoutPane>(
  root: LayoutCell<P>,
  panes: readonly P[],
  along: number,
  width: number,
  height: number,
  cols: number,
): LayoutCell<P> {
  const row = new LayoutCell<P>(root, panes.length === 1 ? (panes[0] ?? null) : null);
  row.place(cols, height, 0, 0);
  if (panes.length === 1 || along === 1) return row;
  const cells = panes.map((pane) => {
    const cell = new LayoutCell<P>(row, pane);
    cell.place(width, height, 0, 0);
    return cell;
  });
  row.become('row', cells);
  const used = panes.length * (width + 1) - 1;
  if (cols > used) cells.at(-1)?.grow('row', cols - used);
  return row;
}
