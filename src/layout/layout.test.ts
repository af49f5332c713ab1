import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/run/runs.ts';
import {
  arrange,
  Layout,
  type LayoutCell,
  type LayoutPane,
  layoutText,
  presetNames,
} from './index.ts';

/** The first thing that is wrong with a cell; empty if its children fill it, with borders between them. */
function fault(cell: LayoutCell<LayoutPane>): string {
  const { direction, children, cols, rows } = cell;
  if (cols < 1 || rows < 1) return `${cols}x${rows}`;
  if (direction === null) return cell.pane === null ? 'a cell without a pane' : '';
  if (children.length < 2) return `${children.length} children`;
  let at = direction === 'row' ? cell.x : cell.y;
  for (const child of children) {
    if ((direction === 'row' ? child.x : child.y) !== at)
      return `a gap before ${child.x},${child.y}`;
    const isAcross = direction === 'row' ? child.rows === rows : child.cols === cols;
    if (!isAcross) return `${child.cols}x${child.rows} in ${cols}x${rows}`;
    if (child.parent !== cell) return 'another parent';
    at += child.size(direction) + 1;
  }
  const end = (direction === 'row' ? cell.x + cols : cell.y + rows) + 1;
  if (at !== end) return `children end at ${at} of ${end}`;
  return children.map(fault).find((each) => each !== '') ?? '';
}

const anyStep = fc.record({
  does: fc.constantFrom('split', 'split', 'remove', 'border', 'resize', 'arrange'),
  pane: fc.nat({ max: 9 }),
  direction: fc.constantFrom('row' as const, 'column' as const),
  x: fc.nat({ max: 130 }),
  y: fc.nat({ max: 50 }),
  change: fc.integer({ min: -30, max: 30 }),
});
type AnyStep = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

let lastId = 0;

function changed(layout: Layout<LayoutPane>, step: AnyStep): void {
  const { does, direction, x, y, change } = step;
  const panes = layout.panes();
  const pane = panes[step.pane % panes.length] as LayoutPane;
  if (does === 'split') layout.split(pane, { id: ++lastId }, { direction });
  else if (does === 'remove') layout.remove(pane);
  else if (does === 'resize') layout.resize(x + 1, y + 1);
  else if (does === 'arrange') {
    const { cols, rows } = layout.root;
    // A layout with more panes than cells is larger than the window.
    if (cols < 40 || rows < 40) return;
    arrange(
      layout,
      panes,
      presetNames[step.pane % 5] ?? 'tiled',
      { cols, rows },
      { main: 10, other: 0 },
    );
  } else {
    const cell = layout.cellBefore(x, y);
    if (cell !== null) layout.moveBorder(cell, change);
  }
}

const built = (steps: readonly AnyStep[], check = (_: Layout<LayoutPane>) => {}) => {
  const layout = new Layout<LayoutPane>({ id: 0 }, 120, 50);
  for (const each of steps) {
    changed(layout, each);
    check(layout);
  }
  return layout;
};

describe('a layout', () => {
  it('has no gaps and no cells of size 0, whatever is done with it', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 25 }), (steps) => {
        built(steps, (layout) => expect(fault(layout.root)).toBe(''));
      }),
      runs(100),
    );
  });

  it('gives each pane a cell in each size that is large enough, if its cells share it', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 12 }), anyStep, (steps, { x, y }) => {
        const layout = built(steps.filter(({ does }) => does === 'split'));
        const { root } = layout;
        root.place(root.least('row') + (x % 5), root.least('column') + (y % 5), 0, 0);
        root.fitChildren();
        layout.fix();
        expect(fault(root)).toBe('');
      }),
      runs(200),
    );
  });

  it('does not change with its copy', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 12 }), anyStep, (steps, last) => {
        const layout = built(steps);
        const before = layoutText(layout.root);
        const copy = layout.copy();
        expect(layoutText(copy.root)).toBe(before);
        changed(copy, last);
        expect(layoutText(layout.root)).toBe(before);
        expect(fault(copy.root)).toBe('');
      }),
      runs(100),
    );
  });

  it('finds the border at each place between panes, and moves that one', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 12 }), anyStep, (steps, { x, y, change }) => {
        const layout = built(steps.filter(({ does }) => does === 'split'));
        const isCovered = layout.root
          .leaves()
          .some(
            (leaf) =>
              x >= leaf.x && x < leaf.x + leaf.cols && y >= leaf.y && y < leaf.y + leaf.rows,
          );
        const { cols, rows } = layout.root;
        const cell = layout.cellBefore(x, y);
        if (isCovered || x >= cols || y >= rows) {
          expect(cell).toBeNull();
          return;
        }
        const direction = cell?.parent?.direction;
        if (cell == null || direction == null) throw new Error('no border was found');
        const others = layout.root
          .leaves()
          .filter((leaf) => !(cell.parent?.leaves() ?? []).includes(leaf));
        const placeOf = (leaf: LayoutCell<LayoutPane>) => [leaf.x, leaf.y, leaf.cols, leaf.rows];
        const before = others.map(placeOf);
        const size = cell.size(direction);
        layout.moveBorder(cell, change);
        expect(Math.sign(cell.size(direction) - size)).toBe(
          cell.size(direction) === size ? 0 : Math.sign(change),
        );
        expect(Math.abs(cell.size(direction) - size)).toBeLessThanOrEqual(Math.abs(change));
        expect(others.map(placeOf)).toEqual(before);
      }),
      runs(200),
    );
  });
});
