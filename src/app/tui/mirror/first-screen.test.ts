import { expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { screenOf } from '../view/session-screen.ts';
import { firstScreen, initialModes } from './first-screen.ts';

const size = { cols: 8, rows: 3 };

it('shows without a terminal what a terminal shows', () => {
  const terminal = new Terminal({ size });
  expect(initialModes).toEqual(terminal.viewModes);
  expect(firstScreen(size)).toEqual({
    ...screenOf(terminal),
    source: size,
    cells: expect.anything(),
  });
  expect(firstScreen(size).cells.rows).toEqual(screenOf(terminal).cells.rows);

  terminal.feed(encodeUtf8('\x1b]2;title\x07one\r\n\x1b[31mtwo 漢\r\n\x1b[7mthree\x1b[?25l'));
  const { modes: _, source: _of, cells, ...shown } = screenOf(terminal);
  const snapshot = { revision: 7, text: [], cells: cells.rows, topLine: terminal.topLine };
  const first = firstScreen({ ...snapshot, ...shown });
  expect(first).toMatchObject(shown);
  expect(first.cells.rows).toEqual(cells.rows);
});
