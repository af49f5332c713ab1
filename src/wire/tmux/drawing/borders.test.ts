import { describe, expect, it } from 'vitest';
import { type BorderedPane, Borders } from './borders.ts';

/** Draws a window: panes are letters, the borders of the active one are in the second picture. */
function pictures(panes: readonly BorderedPane[], active: number, cols = 7, rows = 5) {
  const chosen = panes[active];
  if (chosen === undefined) throw new Error('no such pane');
  const window = { cols, rows, panes, active: chosen, status: 'off', isSplit: true } as const;
  const borders = new Borders(window, 'single');
  const lines = (mark: (x: number, y: number) => string) =>
    Array.from({ length: rows }, (_none, y) =>
      Array.from({ length: cols }, (_other, x) => mark(x, y)).join(''),
    );
  return {
    shapes: lines((x, y) => borders.cell(x, y)?.character ?? ' '),
    active: lines((x, y) => (borders.cell(x, y)?.isActive ? '*' : ' ')),
  };
}

describe('Borders', () => {
  it('of two panes shows by halves which one is active', () => {
    const panes = [
      { x: 0, y: 0, cols: 3, rows: 5 },
      { x: 4, y: 0, cols: 3, rows: 5 },
    ];
    expect(pictures(panes, 0).shapes).toEqual(Array(5).fill('   │   '));
    expect(pictures(panes, 0).active.map((row) => row.trim())).toEqual(['*', '*', '*', '', '']);
    expect(pictures(panes, 1).active.map((row) => row.trim())).toEqual(['', '', '', '*', '*']);
  });

  it('joins the lines of three panes', () => {
    const panes = [
      { x: 0, y: 0, cols: 3, rows: 5 },
      { x: 4, y: 0, cols: 3, rows: 2 },
      { x: 4, y: 3, cols: 3, rows: 2 },
    ];
    expect(pictures(panes, 0).shapes).toEqual([
      '   │   ',
      '   │   ',
      '   ├───',
      '   │   ',
      '   │   ',
    ]);
    expect(pictures(panes, 1).active).toEqual([
      '   *   ',
      '   *   ',
      '   ****',
      '       ',
      '       ',
    ]);
  });

  it('has an edge where the terminal is larger than the window', () => {
    const panes = [{ x: 0, y: 0, cols: 5, rows: 3 }];
    const [pane] = panes;
    if (pane === undefined) throw new Error('no pane');
    const window = { cols: 5, rows: 3, panes, active: pane, status: 'off', isSplit: true } as const;
    const borders = new Borders(window, 'single');
    const row = (y: number) =>
      Array.from({ length: 7 }, (_none, x) => borders.cell(x, y)?.character ?? ' ').join('');
    expect([row(0), row(3), row(4)]).toEqual(['     │·', '─────┘·', '·······']);
  });
});
