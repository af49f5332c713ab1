import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { runs } from '../../../test/support/run/runs.ts';
import { output, screenSize } from '../../../test/support/vt/terminal-output.ts';

describe('a screen as cells', () => {
  it('does not depend on earlier reads', () => {
    const steps = fc.array(fc.oneof(output, screenSize), { minLength: 1, maxLength: 6 });
    const property = fc.property(screenSize, steps, (size, changes) => {
      const terminal = new Terminal({ size });
      let cells = terminal.screenCells();
      for (const change of changes) {
        if (change instanceof Uint8Array) terminal.feedToFrameBoundary(change);
        else terminal.resize(change);
        cells = terminal.screenCells(cells);
        const { rows } = terminal.size;
        const fresh = Array.from({ length: rows }, (_, row) => terminal.readRow(row).cells());
        expect(cells.rows).toEqual(fresh);
      }
    });
    fc.assert(property, runs(150));
  });

  it('reuses the rows that did not change, as frozen arrays', () => {
    const terminal = new Terminal({ size: { cols: 10, rows: 4 } });
    terminal.feed(encodeUtf8('one\r\ntwo'));
    const before = terminal.screenCells();
    terminal.feed(encodeUtf8('!'));
    const after = terminal.screenCells(before);
    expect(after.rows.map((cells, row) => cells === before.rows[row])).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect([after.rows, ...after.rows].every((each) => Object.isFrozen(each))).toBe(true);
  });
});
