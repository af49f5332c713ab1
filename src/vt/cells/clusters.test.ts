import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeUtf8, sanitize } from '#base';
import { plainStyle } from '#model';
import { runs } from '../../../test/support/run/runs.ts';
import { Terminal } from '../terminal.ts';
import { textCells } from './clusters.ts';

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
