import { expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { initialViewModes, runsOfCells } from '#model';
import { Terminal } from '#vt';
import { firstScreen, screenOf } from './session-screen.ts';

const size = { cols: 8, rows: 3 };

it('shows without a terminal what a terminal shows', () => {
  const terminal = new Terminal({ size });
  expect(initialViewModes).toEqual(terminal.viewModes);
  const blank = screenOf(terminal);
  expect(firstScreen(size)).toEqual({ ...blank, source: size, cells: expect.anything() });
  expect(firstScreen(size).cells.rows).toEqual(blank.cells.rows);

  const output =
    '\x1b]2;title\x07one\r\n\x1b[31mtwo 漢\r\n\x1b[7mthree\x1b[?25l\x1b[?5h\x1b]4;1;#123\x07';
  terminal.feed(encodeUtf8(output));
  const { endLine: _, source: _of, cells, ...shown } = screenOf(terminal);
  const rows = cells.rows.map((row, at) => ({ row: at, runs: runsOfCells(row) }));
  const { viewModes: modes } = terminal;
  const first = firstScreen({ ...shown, revision: 7, full: true, rows, modes });
  expect(first).toMatchObject(shown);
  expect(first.cells.rows).toEqual(cells.rows);
});
