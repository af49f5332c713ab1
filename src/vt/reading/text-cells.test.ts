import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeUtf8, sanitize } from '#base';
import type { Cell, Run } from '#model';
import { runs } from '../../../test/support/run/runs.ts';
import { output, screenSize } from '../../../test/support/vt/terminal-output.ts';
import { Terminal } from '../terminal.ts';
import { plainStyle, runsCells, textCells } from './text-cells.ts';

const line = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.constantFrom('漢字', '👩‍👧', '🇨🇭', 'é', '☀️', '각', 'क्षि', '👍🏽', 'ก็', '\u0301', 'x'),
    ),
    { maxLength: 8 },
  )
  .map((parts) => sanitize(parts.join('')).text.replace(/[\t\n]/g, ''));

describe('cells of text', () => {
  test('are those of a terminal in mode 2027', () => {
    fc.assert(
      fc.property(line, (text) => {
        const size = { cols: 300, rows: 2 };
        const terminal = new Terminal({ size });
        terminal.feed(encodeUtf8(`\x1b[?2027h${text}`));
        const cells = textCells(text, plainStyle);
        expect(cells).toEqual(terminal.screenCells().rows[0]?.slice(0, cells.length));
        expect(terminal.cursor.col).toBe(cells.length);
      }),
      runs(300),
    );
  });
});

describe('cells of a row of a frame', () => {
  test('are those of the screen that the frame is made of', () => {
    fc.assert(
      fc.property(output, screenSize, (bytes, size) => {
        const terminal = new Terminal({ size });
        terminal.feed(bytes);
        for (const row of terminal.screenCells().rows) {
          expect(runsCells(runsOf(row), size.cols)).toEqual(row);
        }
      }),
      runs(100),
    );
  });

  test('have exactly the columns, whatever the runs', () => {
    const run = fc.record({
      text: line,
      cols: fc.nat({ max: 12 }),
      style: fc.constant(plainStyle),
    });
    fc.assert(
      fc.property(fc.array(run, { maxLength: 6 }), fc.integer({ min: 1, max: 20 }), (all, cols) => {
        const cells = runsCells(all, cols);
        expect(cells).toHaveLength(cols);
        for (const [col, { width }] of cells.entries()) {
          expect(width === 2).toBe(cells[col + 1]?.width === 0);
        }
      }),
      runs(300),
    );
  });
});

/** A run per cell. */
const runsOf = (cells: readonly Cell[]): Run[] =>
  cells
    .filter(({ width }) => width > 0)
    .map(({ text, width, style }) => ({
      text,
      cols: width,
      style,
      ...([...text].length > 1 ? { cluster: true as const } : {}),
    }));
